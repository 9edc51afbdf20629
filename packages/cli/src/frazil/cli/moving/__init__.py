"""Connectors moved between two servers of Kafka Connect's REST API: `frazil import`, `export`."""
