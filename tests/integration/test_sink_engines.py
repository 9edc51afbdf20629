"""What the sink writes, read by three engines that know nothing of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    DecimalType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
)
from tests.support import trino as trinos
from tests.support.lab import Lab, wait_until
from tests.support.spark_lake import run_spark, signed_by

TABLE = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "at", TimestamptzType()),
    NestedField(3, "price", DecimalType(9, 2)),
    NestedField(4, "tags", ListType(5, StringType(), element_required=False)),
    NestedField(
        6,
        "place",
        StructType(
            NestedField(7, "city", StringType()),
            NestedField(8, "codes", MapType(9, StringType(), 10, LongType())),
        ),
    ),
)
RECORD = {
    "id": 1,
    "at": "2026-11-18T10:00:00.123456Z",
    "price": "12.50",
    "tags": ["ä", None],
    "place": {"city": "Bern", "codes": {"zip": 3000}},
}
EXPECTED = [[1, 1794996000123456, "12.50", "ä", None, "Bern", 3000], [2, *[None] * 6]]


def by_pyiceberg(lab: Lab) -> list[list[Any]]:
    return [
        [
            row["id"],
            row["at"] and round(row["at"].timestamp() * 1_000_000),
            row["price"] and str(row["price"]),
            *(row["tags"] or [None, None]),
            row["place"] and row["place"]["city"],
            row["place"] and dict(row["place"]["codes"])["zip"],
        ]
        for row in lab.table.scan().to_arrow().sort_by("id").to_pylist()
    ]


def by_spark(lab: Lab) -> Any:
    key = {"rest.access-key-id": lab.key.access_key, "rest.secret-access-key": lab.key.secret}
    (rows,) = run_spark(
        {"sink": signed_by("", lab.server.uri, **key)},
        "SELECT id, unix_micros(at), CAST(price AS STRING), tags[0], tags[1], place.city, "
        "place.codes['zip'] FROM sink.streaming.rows ORDER BY id",
    )
    return rows


def by_trino(lab: Lab, folder: Path) -> list[list[Any]]:
    key = {"s3.aws-access-key": lab.key.access_key, "s3.aws-secret-key": lab.key.secret}
    with (
        trinos.running(folder) as trino,
        trino.catalog("sink", trinos.signed_by("", lab.server.uri) | key),
    ):
        return trino.run(
            "SELECT id, date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00 UTC', at) * 1000 "
            "+ CAST(substr(CAST(at AS VARCHAR), 24, 3) AS BIGINT), CAST(price AS VARCHAR), "
            "tags[1], tags[2], place.city, place.codes['zip'] FROM sink.streaming.rows ORDER BY id"
        )


# Trino may have to be loaded first.
@pytest.mark.timeout(600)
def test_rows_of_the_sink_are_the_same_to_three_engines(lab: Lab, tmp_path: Path) -> None:
    lab.catalog.create_table("streaming.rows", TABLE)
    lab.produce_raw([json.dumps(RECORD).encode(), b'{"id": 2}'])
    worker = lab.start(1)
    wait_until("both rows visible", lambda: lab.rows() == 2)
    assert worker.stop() == 0
    assert by_pyiceberg(lab) == EXPECTED
    assert by_spark(lab) == EXPECTED
    (tmp_path / "trino").mkdir()
    assert by_trino(lab, tmp_path / "trino") == EXPECTED
