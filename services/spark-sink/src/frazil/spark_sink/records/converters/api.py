"""What a converter is: a function of bytes that gives a value and its schema."""

from collections.abc import Callable
from typing import Any

from frazil.spark_sink.records.model import Header, Schema

Converter = Callable[[bytes | None], tuple[Any, Schema | None]]
HeaderConverter = Callable[[str, bytes | None], Header]
# Turns the value of a decoded document into the value of its schema.
Reader = Callable[[Any], Any]
