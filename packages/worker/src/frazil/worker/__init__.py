"""What every Spark worker shares. No connector words; a worker brings its job."""
