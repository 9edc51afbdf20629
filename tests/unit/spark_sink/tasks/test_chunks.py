"""Columns and records of a chunk are the same, whichever client delivered them."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, Message

from frazil.spark_sink.records.model import KafkaRecord
from frazil.spark_sink.tasks.chunks import ArrowChunk, Chunk, MessageChunk, chunks_of_batch

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HEADERS = (("h", b"1"), ("h", None), ("ä", b""))
RECORDS = [
    KafkaRecord("t", 3, 7, 1_700_000_000_123, b"k", b"v", HEADERS),
    KafkaRecord("t", 3, 8, 0, None, b"", ()),
    KafkaRecord("t", 3, 11, None, b"", None, ()),
]


def message(record: KafkaRecord, kind: int = TIMESTAMP_CREATE_TIME) -> Message:
    return Message(
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        key=record.key,
        value=record.value,
        headers=list(record.headers) or None,
        timestamp=(0, -1) if record.timestamp is None else (kind, record.timestamp),
    )


def batch(records: list[KafkaRecord], *, headers: bool = True) -> pa.RecordBatch:
    rows = [
        {
            "key": record.key,
            "value": record.value,
            "topic": record.topic,
            "partition": record.partition,
            "offset": record.offset,
            "timestamp": EPOCH
            + timedelta(milliseconds=-1 if record.timestamp is None else record.timestamp),
            "headers": [{"key": key, "value": value} for key, value in record.headers] or None,
        }
        for record in records
    ]
    columns = [
        pa.field("key", pa.binary()),
        pa.field("value", pa.binary()),
        pa.field("topic", pa.string()),
        pa.field("partition", pa.int32()),
        pa.field("offset", pa.int64()),
        pa.field("timestamp", pa.timestamp("us", "UTC")),
    ]
    if headers:
        item = pa.struct([("key", pa.string()), ("value", pa.binary())])
        columns.append(pa.field("headers", pa.list_(item)))
    return pa.RecordBatch.from_pylist(rows, pa.schema(columns))


@pytest.mark.parametrize(
    "chunk",
    [
        MessageChunk("t", 3, [message(record) for record in RECORDS]),
        MessageChunk("t", 3, [message(record, TIMESTAMP_LOG_APPEND_TIME) for record in RECORDS]),
        ArrowChunk("t", 3, batch(RECORDS)),
    ],
)
def test_columns_and_records_say_the_same(chunk: Chunk) -> None:
    assert len(chunk) == 3
    assert chunk.records() == RECORDS
    assert [chunk.record(index) for index in range(3)] == RECORDS
    assert chunk.take([0, 2]).records() == [RECORDS[0], RECORDS[2]]
    assert len(chunk.take([])) == 0
    assert chunk.values() == [record.value for record in RECORDS]
    assert chunk.keys() == [record.key for record in RECORDS]
    assert chunk.offsets() == [7, 8, 11]
    assert chunk.timestamps() == [1_700_000_000_123, 0, None]
    assert chunk.headers() == [HEADERS, (), ()]


def test_rows_without_a_column_of_headers_have_none() -> None:
    (chunk,) = chunks_of_batch(batch(RECORDS, headers=False))
    assert chunk.headers() == [(), (), ()]
    assert chunk.records()[0] == RECORDS[0]._replace(headers=())


@pytest.mark.parametrize(
    ("partitions", "limit", "expected"),
    [
        ([], 10, []),
        ([("a", 0)], 10, [("a", 0, [0])]),
        ([("a", 0)] * 5, 2, [("a", 0, [0, 1]), ("a", 0, [2, 3]), ("a", 0, [4])]),
        (
            [("a", 0), ("a", 0), ("a", 1), ("b", 1), ("a", 0)],
            10,
            [("a", 0, [0, 1]), ("a", 1, [2]), ("b", 1, [3]), ("a", 0, [4])],
        ),
    ],
)
def test_a_batch_is_cut_where_the_partition_changes(
    partitions: list[tuple[str, int]], limit: int, expected: list[tuple[str, int, list[int]]]
) -> None:
    records = [
        KafkaRecord(topic, partition, offset, 5, None, b"v")
        for offset, (topic, partition) in enumerate(partitions)
    ]
    chunks = [
        (chunk.topic, chunk.partition, chunk.offsets())
        for chunk in chunks_of_batch(batch(records), chunk=limit)
    ]
    assert chunks == expected


@pytest.mark.parametrize("value", [b"four", b"", None])
def test_a_chunk_knows_the_bytes_of_its_values(value: bytes | None) -> None:
    record = RECORDS[0]._replace(value=value)
    assert MessageChunk("t", 3, [message(record)] * 3).nbytes() == 3 * len(value or b"")
    # Arrow's own count has the offsets of the values, too.
    assert ArrowChunk("t", 3, batch([record] * 3)).nbytes() >= 3 * len(value or b"")
