"""The cases of the benchmark: which records, which keys of the connectors, what is measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bench.iceberg_sink.payloads import (
    EVOLVING,
    MANY_FIELDS,
    NARROW,
    ODD,
    ROUTED,
    TRANSFORMED,
    WIDE,
    Payload,
)


class Kind(StrEnum):
    """What is measured: a backlog, one for many tables, a steady rate, or first rows."""

    DRAIN = "drain"
    TABLES = "tables"
    TRICKLE = "trickle"
    START = "start"


@dataclass(frozen=True, eq=False)
class Case:
    """`keys` are those of both sinks; `interval_ms` is set where it is part of the case."""

    name: str
    title: str
    payload: Payload
    kind: Kind = Kind.DRAIN
    keys: Mapping[str, str] = field(default_factory=dict)
    interval_ms: int | None = None
    on_s3: bool = False


_KAFKA = "org.apache.kafka.connect.transforms"
# Two that only add and rename, two that need each record's value.
_TRANSFORMS = {
    "transforms": "insert,rename,convert,cast",
    "transforms.insert.type": f"{_KAFKA}.InsertField$Value",
    "transforms.insert.topic.field": "topic",
    "transforms.insert.timestamp.field": "produced",
    "transforms.rename.type": f"{_KAFKA}.ReplaceField$Value",
    "transforms.rename.renames": "origin:source",
    "transforms.convert.type": f"{_KAFKA}.TimestampConverter$Value",
    "transforms.convert.field": "produced",
    "transforms.convert.target.type": "string",
    "transforms.convert.format": "yyyy-MM-dd HH:mm:ss.SSS",
    "transforms.cast.type": f"{_KAFKA}.Cast$Value",
    "transforms.cast.spec": "version:int32",
}
_EVOLVE = {"iceberg.tables.evolve-schema-enabled": "true"}
_ROUTING = {
    "iceberg.tables.dynamic-enabled": "true",
    "iceberg.tables.route-field": "table",
    # Ours: so that a table has some commits, between which there is a time.
    "frazil.max.records.per.commit": "100000",
}
# Where a commit each second begins before all tasks listen, the genuine sink waits for this.
_SHORT_TIMEOUT = {"iceberg.control.commit.timeout-ms": "5000"}

CASES = (
    Case("wide", "wide", WIDE),
    Case("narrow", "narrow", NARROW),
    Case("fields", "200 fields", MANY_FIELDS),
    Case("transforms", "wide, four transforms", TRANSFORMED, keys=_TRANSFORMS),
    Case("evolve", "wide, evolve on", EVOLVING, keys=_EVOLVE),
    Case("odd", "wide, 1 in 100 odd", ODD),
    Case("s3", "wide, on S3", WIDE, on_s3=True),
    Case("tables", "fifty tables", ROUTED, Kind.TABLES, keys=_ROUTING),
    Case("trickle", "1,000 records/s", WIDE, Kind.TRICKLE, keys=_SHORT_TIMEOUT, interval_ms=1000),
    Case("start", "first row", WIDE, Kind.START, keys=_SHORT_TIMEOUT, interval_ms=1000),
)
