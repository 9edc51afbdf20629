"""Kafka's bytes to typed records: converters, then transforms, all as column expressions."""
