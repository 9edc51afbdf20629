"""What runs on the executors: one range of one partition, from the broker to staged files."""
