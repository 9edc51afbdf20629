"""What both sinks get: records in topics, and the tables for them."""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from aiokafka import AIOKafkaProducer
from bench.iceberg_sink import records
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BooleanType,
    DoubleType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestamptzType,
)

from frazil.contracts.log_topics import Topic

NAMESPACE = "bench"
_APILOGS = Path(__file__).parents[2] / "schemas" / "tables" / "apilogs.json"
_ZSTD = {"write.parquet.compression-codec": "zstd"}
_BATCH_BYTES = 512 * 1024
_IN_FLIGHT = 12
_TABLES = 50


@dataclass(frozen=True, eq=False)
class Payload:
    """`name` is that of the topic; `records` is the size of a backlog at scale 1.

    Records that name their table are for `tables`, all of the same schema.
    """

    name: str
    title: str
    records: int
    values: Callable[[], Iterator[bytes]]
    schema: Schema
    spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC
    tables: Sequence[str] = ()

    @property
    def properties(self) -> dict[str, str]:
        return {"format-version": "2", **_ZSTD}


async def fill(servers: str, payload: Payload, count: int, *, partitions: int) -> None:
    """Put records into the topic, a batch to each partition in turn."""
    producer = AIOKafkaProducer(
        bootstrap_servers=servers, acks="all", max_batch_size=_BATCH_BYTES, linger_ms=5
    )
    await producer.start()
    try:
        target, pending = cycle(range(partitions)), deque[asyncio.Future[object]]()
        batch = producer.create_batch()
        for value in islice(payload.values(), count):
            if batch.append(timestamp=None, key=None, value=value) is None:
                pending.append(
                    await producer.send_batch(batch, payload.name, partition=next(target))
                )
                batch = producer.create_batch()
                batch.append(timestamp=None, key=None, value=value)
            while len(pending) > _IN_FLIGHT:
                await pending.popleft()
        pending.append(await producer.send_batch(batch, payload.name, partition=next(target)))
        await asyncio.gather(*pending)
    finally:
        await producer.stop()


def _wide() -> Payload:
    declared = json.loads(_APILOGS.read_text())
    return Payload(
        Topic.API,
        "wide",
        records=1_000_000,
        values=records.wide,
        schema=Schema.model_validate(declared["schema"]),
        spec=PartitionSpec.model_validate(declared["partition-spec"]),
    )


def _transformed(schema: Schema) -> Schema:
    """Change columns as the transforms of the benchmark change fields."""
    changes: dict[str, dict[str, Any]] = {
        "version": {"field_type": IntegerType()},
        "origin": {"name": "source"},
    }
    fields = [field.model_copy(update=changes.get(field.name, {})) for field in schema.fields]
    added = (
        NestedField(101, "topic", StringType(), required=False),
        NestedField(102, "produced", StringType(), required=False),
    )
    return Schema(*fields, *added)


def _without(schema: Schema, name: str) -> Schema:
    return Schema(*(field for field in schema.fields if field.name != name))


def _columns(**types: IcebergType) -> Schema:
    return Schema(
        *(
            NestedField(number, name, kind, required=False)
            for number, (name, kind) in enumerate(types.items(), 1)
        )
    )


_NARROW_TYPES: dict[str, IcebergType] = {
    "id": LongType(),
    "ts": TimestamptzType(),
    "user_id": LongType(),
    "event": StringType(),
    "value": DoubleType(),
    "page": StringType(),
}
_KINDS = (StringType(), LongType(), DoubleType(), BooleanType())
_MANY = _columns(**{records.field_name(at): _KINDS[at % 4] for at in range(records.FIELDS)})
_ROUTED_TO = [f"routed_{number:02}" for number in range(_TABLES)]

WIDE = _wide()
# The same topic as the wide records, but other tables.
TRANSFORMED = replace(WIDE, schema=_transformed(WIDE.schema))
EVOLVING = replace(WIDE, schema=_without(WIDE.schema, "node"))
ODD = replace(WIDE, name="odd", title="wide, 1 in 100 odd", values=records.odd)
NARROW = Payload(
    "narrow",
    "narrow",
    records=3_000_000,
    values=records.narrow,
    schema=_columns(**_NARROW_TYPES),
)
MANY_FIELDS = Payload(
    "fields", "200 fields", records=200_000, values=records.many_fields, schema=_MANY
)
ROUTED = Payload(
    "routed",
    "fifty tables",
    records=500_000,
    values=lambda: records.routed([f"{NAMESPACE}.{name}" for name in _ROUTED_TO]),
    schema=_columns(table=StringType(), **_NARROW_TYPES),
    tables=_ROUTED_TO,
)
