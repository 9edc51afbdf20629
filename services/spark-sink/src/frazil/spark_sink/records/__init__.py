"""What a record means, one at a time, as Kafka Connect has it: plain functions of plain values."""
