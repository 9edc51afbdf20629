"""Kafka Connect's transforms and those of its Iceberg sink, one module each."""

from collections.abc import Callable

from frazil.spark_sink.records.model import Record

# None where the record is filtered; raises TransformError where it is refused.
Transform = Callable[[Record], Record | None]
