"""The three kinds of records that both sinks get, and the tables for them."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path

from aiokafka import AIOKafkaProducer
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BooleanType,
    DoubleType,
    IcebergType,
    LongType,
    NestedField,
    StringType,
    TimestamptzType,
)

from frazil.contracts.log_topics import Topic
from frazil.log_generator.source import Source

_APILOGS = Path(__file__).parents[2] / "schemas" / "tables" / "apilogs.json"
_ZSTD = {"write.parquet.compression-codec": "zstd"}
_CHUNK = 1000
_BATCH_BYTES = 512 * 1024
_IN_FLIGHT = 12
_FIELDS = 200
# Knuth's multiplier: numbers in a row become numbers all over the place, the same in each run.
_SCATTER = 2_654_435_761


@dataclass(frozen=True, eq=False)
class Payload:
    """`name` is that of the topic; `records` is the size of a backlog at scale 1."""

    name: str
    title: str
    records: int
    values: Callable[[], Iterator[bytes]]
    schema: Schema
    spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC

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


def _wide_values() -> Iterator[bytes]:
    source = Source(Topic.API, seed=7, start_ns=time.time_ns())
    while True:
        yield from source.take(_CHUNK, time.time_ns)


def _narrow_values() -> Iterator[bytes]:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    for number in range(10**9):
        some = number * _SCATTER % 2**32
        yield (
            f'{{"id":{1_000_000_000 + number},"ts":"{now}.{some % 10**6:06d}Z",'
            f'"user_id":{100_000 + some % 900_000},"event":"page_view",'
            f'"value":{100 + some % 900}.{some % 90 + 10},'
            f'"page":"/products/{some % 10**5:05d}/detail/view"}}'
        ).encode()


def _field_values() -> Iterator[bytes]:
    """Make records of many columns: a quarter texts, longs, doubles and booleans each."""
    kinds: tuple[Callable[[int], str], ...] = (
        lambda some: f'"text {some % 10**5:05d}"',
        str,
        lambda some: f"{some % 10**4}.{some % 90 + 10}",
        lambda some: "true" if some % 2 else "false",
    )
    # Each column takes its values from a pool, each at its own pace: as quick as it has to be.
    pools = [
        [kinds[at % 4](n * (at + 1) * _SCATTER % 2**32) for n in range(997)]
        for at in range(_FIELDS)
    ]
    heads = [f'"{_field_name(at)}":' for at in range(_FIELDS)]
    for number in range(10**9):
        cells = (
            head + pool[number * (at + 1) % 997]
            for at, (head, pool) in enumerate(zip(heads, pools, strict=True))
        )
        yield ("{" + ",".join(cells) + "}").encode()


def _field_name(at: int) -> str:
    return f"field_{at:03}"


def _columns(**types: IcebergType) -> Schema:
    return Schema(
        *(
            NestedField(number, name, kind, required=False)
            for number, (name, kind) in enumerate(types.items(), 1)
        )
    )


def _wide() -> Payload:
    declared = json.loads(_APILOGS.read_text())
    return Payload(
        Topic.API,
        "wide",
        records=400_000,
        values=_wide_values,
        schema=Schema.model_validate(declared["schema"]),
        spec=PartitionSpec.model_validate(declared["partition-spec"]),
    )


_NARROW = _columns(
    id=LongType(),
    ts=TimestamptzType(),
    user_id=LongType(),
    event=StringType(),
    value=DoubleType(),
    page=StringType(),
)
_KINDS = (StringType(), LongType(), DoubleType(), BooleanType())
_MANY = _columns(**{_field_name(at): _KINDS[at % 4] for at in range(_FIELDS)})

WIDE = _wide()
PAYLOADS = (
    WIDE,
    Payload("narrow", "narrow", records=1_000_000, values=_narrow_values, schema=_NARROW),
    Payload("fields", "200 fields", records=100_000, values=_field_values, schema=_MANY),
)
