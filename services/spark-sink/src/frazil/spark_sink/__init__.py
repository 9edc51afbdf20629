"""The sink: Kafka topics to Iceberg tables, exactly once, on Spark."""
