"""Connect's data model: values with or without a schema, and the record that holds them.

A value is a plain Python value: None, bool, int, float, str, bytes, list, dict (a map, or a struct
by the names of its fields), and for logical types Decimal, date, time and datetime (in UTC). Its
schema stands beside it, or is None where nothing is known but the value, as for JSON without
schemas. Values are never changed in place: a transform returns new ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

DECIMAL = "org.apache.kafka.connect.data.Decimal"
DATE = "org.apache.kafka.connect.data.Date"
TIME = "org.apache.kafka.connect.data.Time"
TIMESTAMP = "org.apache.kafka.connect.data.Timestamp"

# The schema of what SQL has selected: it tells types, but promises nothing of values to come.
SELECTED = "frazil.Selected"


class Kind(StrEnum):
    """Connect's types of schemas, by the names that JSON with schemas has for them."""

    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float"
    FLOAT64 = "double"
    BOOLEAN = "boolean"
    STRING = "string"
    BYTES = "bytes"
    ARRAY = "array"
    MAP = "map"
    STRUCT = "struct"


@dataclass(frozen=True, slots=True)
class Schema:
    """`name` says which logical type it is; `element` is that of a list, or of a map's values."""

    kind: Kind
    optional: bool = False
    name: str | None = None
    version: int | None = None
    default: Any = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    fields: tuple["Field", ...] = ()
    key: "Schema | None" = None
    element: "Schema | None" = None
    doc: str | None = None

    def field(self, name: str) -> "Field | None":
        """Find a field of a struct by its name."""
        return next((one for one in self.fields if one.name == name), None)


class Field(NamedTuple):
    """One field of a struct."""

    name: str
    schema: Schema


class Header(NamedTuple):
    """One header of a record; a name may be there more than once."""

    name: str
    value: Any
    schema: Schema | None = None


class KafkaRecord(NamedTuple):
    """A record as the broker has it: bytes, and where they are. `timestamp` is in milliseconds."""

    topic: str
    partition: int
    offset: int
    timestamp: int | None
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(slots=True)
class Record:
    """A record on its way through converters and transforms.

    `topic` may be changed by a transform that routes; `source` stays the record of the broker.
    """

    source: KafkaRecord
    topic: str
    key: Any = None
    key_schema: Schema | None = None
    value: Any = None
    value_schema: Schema | None = None
    headers: tuple[Header, ...] = ()
    timestamp: int | None = None

    def with_value(self, value: Any, schema: Schema | None) -> "Record":
        """Return the same record with another value."""
        return Record(
            self.source,
            self.topic,
            self.key,
            self.key_schema,
            value,
            schema,
            self.headers,
            self.timestamp,
        )

    def with_key(self, key: Any, schema: Schema | None) -> "Record":
        """Return the same record with another key."""
        return Record(
            self.source,
            self.topic,
            key,
            schema,
            self.value,
            self.value_schema,
            self.headers,
            self.timestamp,
        )

    def with_topic(self, topic: str) -> "Record":
        """Return the same record on its way to another topic."""
        return Record(
            self.source,
            topic,
            self.key,
            self.key_schema,
            self.value,
            self.value_schema,
            self.headers,
            self.timestamp,
        )

    def with_headers(self, headers: tuple[Header, ...]) -> "Record":
        """Return the same record with other headers."""
        return Record(
            self.source,
            self.topic,
            self.key,
            self.key_schema,
            self.value,
            self.value_schema,
            headers,
            self.timestamp,
        )
