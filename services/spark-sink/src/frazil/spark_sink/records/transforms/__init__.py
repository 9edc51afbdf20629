"""Kafka Connect's transforms and those of its Iceberg sink, one module each."""
