"""Rows of a table written to files of local disk."""

import json
import math
import pickle
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from frazil.spark_sink.records.schema.types import (
    Column,
    List,
    Map,
    Primitive,
    Struct,
    parse_schema,
)
from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.files import table_writer
from frazil.spark_sink.tasks.files.data_file import DataFile, data_file_json
from frazil.spark_sink.tasks.files.plan import FilesPlan, check_plan
from frazil.spark_sink.tasks.files.table_writer import TableWriter
from frazil.spark_sink.tasks.partitions import PartitionSpec, parse_spec

TEXT = Primitive("string")
POINT = Struct((Column("x", Primitive("double"), id=20), Column("y", TEXT, True, id=21)))
SCHEMA = Struct(
    (
        Column("id", Primitive("long"), True, id=1),
        Column("text", TEXT, id=2),
        Column("number", Primitive("double"), id=3),
        Column("point", POINT, id=4),
        Column("texts", List(TEXT, element_id=22), id=5),
        Column("points", Map(TEXT, Struct((Column("z", Primitive("float"), id=25),)),
               True, key_id=23, value_id=24), id=6),
        Column("money", Primitive("decimal", 38, 0), id=7),
        Column("uuid", Primitive("uuid"), id=8),
        Column("at", Primitive("timestamptz_ns"), id=9),
    )
)  # fmt: skip
_tasks = count(1)


def plan_of(folder: Path, spec: PartitionSpec | None = None, **properties: str) -> FilesPlan:
    renamed = {key.replace("__", ".").replace("_", "-"): text for key, text in properties.items()}
    return FilesPlan(SCHEMA, 0, spec or PartitionSpec(), str(folder), renamed)


def by(name: str, transform: str = "identity") -> PartitionSpec:
    column = SCHEMA.column(name)
    assert column is not None
    field = {"source-id": column.id, "field-id": 1000, "name": name, "transform": transform}
    return parse_spec({"spec-id": 5, "fields": [field]}, SCHEMA)


def write(plan: FilesPlan, rows: list[dict[str, Any]], *, batch: int = 7) -> list[DataFile]:
    writer = TableWriter(plan, task=f"task-{next(_tasks)}")
    for start in range(0, len(rows), batch):
        part = rows[start : start + batch]
        writer.write(pa.RecordBatch.from_pylist(part, schema=writer.schema))
    return writer.close()


def read(files: list[DataFile]) -> list[Any]:
    return [row for file in files for row in pq.read_table(file.path).to_pylist()]


def test_a_file_has_icebergs_types_and_field_ids_at_every_depth(tmp_path: Path) -> None:
    (file,) = write(plan_of(tmp_path), [{"id": 1}])
    schema = str(pq.ParquetFile(file.path).schema)
    for line in (
        "required int64 field_id=1 id;",
        "optional binary field_id=2 text (String);",
        "optional double field_id=20 x;",
        "required binary field_id=21 y (String);",
        "optional group field_id=5 texts (List)",
        "optional binary field_id=22 element (String);",
        "required binary field_id=23 key (String);",
        "required group field_id=24 value {",
        "optional float field_id=25 z;",
        "optional fixed_len_byte_array(16) field_id=7 money (Decimal(precision=38, scale=0));",
        "optional fixed_len_byte_array(16) field_id=8 uuid (UUID);",
        "optional int64 field_id=9 at (Timestamp(isAdjustedToUTC=true, timeUnit=nanoseconds,",
    ):
        assert line in schema
    metadata = pq.read_metadata(file.path).metadata
    document = json.loads(metadata[b"iceberg.schema"])
    assert parse_schema(document) == SCHEMA
    assert b"ARROW:schema" not in metadata


def test_metrics_are_of_all_row_groups_of_a_file(tmp_path: Path) -> None:
    rows: list[Any] = [
        {"id": 5, "text": "b" * 20, "number": math.nan, "point": {"x": -0.0, "y": "p"}},
        {"id": -5, "text": None, "number": 0.0, "point": None, "texts": ["q"]},
        {"id": 0, "text": "a" * 5000, "number": -0.0, "points": [("k", {"z": 1.0})]},
        {"id": 7, "text": "c" * 5000, "number": None, "money": Decimal("-" + "9" * 38)},
    ]
    plan = plan_of(tmp_path, write__parquet__row_group_size_bytes="1")
    (file,) = write(plan, rows, batch=1)
    metrics = file.metrics
    assert len(file.split_offsets) == 4
    assert file.split_offsets[0] == 4
    assert file.file_size == Path(file.path).stat().st_size
    assert file.record_count == 4
    assert set(metrics.column_sizes) == {1, 2, 3, 20, 21, 22, 23, 25, 7, 8, 9}
    assert metrics.value_counts == dict.fromkeys((1, 2, 3, 20, 21, 7, 8, 9), 4)
    assert metrics.null_value_counts == {1: 0, 2: 1, 3: 1, 20: 3, 21: 3, 7: 3, 8: 4, 9: 4}
    assert metrics.nan_value_counts == {3: 1, 20: 0}
    least = 1 - 10**38
    assert metrics.lower_bounds == {
        1: (-5).to_bytes(8, "little", signed=True),
        2: b"a" * 16,
        3: b"\0" * 7 + b"\x80",
        20: b"\0" * 7 + b"\x80",
        21: b"p",
        7: least.to_bytes(16, "big", signed=True),
    }
    assert metrics.upper_bounds == {
        1: (7).to_bytes(8, "little"),
        2: b"c" * 15 + b"d",
        3: b"\0" * 8,
        20: b"\0" * 7 + b"\x80",
        21: b"p",
        7: least.to_bytes(16, "big", signed=True),
    }


@pytest.mark.parametrize("length", [4095, 4096, 4097])
def test_bounds_do_not_depend_on_what_parquet_has_statistics_of(
    tmp_path: Path, length: int
) -> None:
    plan = plan_of(tmp_path, write__metadata__metrics__default="full")
    (file,) = write(plan, [{"id": 1, "text": "m" * length}, {"id": 2, "text": "b"}])
    assert file.metrics.lower_bounds[2] == b"b"
    assert file.metrics.upper_bounds[2] == b"m" * length


def test_infinite_numbers_are_bounds_and_nan_is_none(tmp_path: Path) -> None:
    rows = [{"id": 1, "number": math.inf, "point": {"x": math.nan, "y": ""}}]
    (file,) = write(plan_of(tmp_path), rows)
    assert file.metrics.lower_bounds[3] == file.metrics.upper_bounds[3] == b"\0" * 6 + b"\xf0\x7f"
    assert 20 not in file.metrics.lower_bounds
    assert file.metrics.nan_value_counts == {3: 0, 20: 1}


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_rows_are_the_same_however_batches_were_cut(tmp_path: Path, batch: int) -> None:
    rows = [
        {"id": n, "text": "ab"[n % 2], "texts": [str(n)] * (n % 3), "points": [("k", {"z": n})]}
        for n in range(20)
    ]
    files = write(plan_of(tmp_path, by("text")), rows, batch=batch)
    assert sorted(file.partition for file in files) == [("a",), ("b",)]
    assert {file.spec_id for file in files} == {5}
    for file in files:
        wanted = [row for row in rows if (row["text"],) == file.partition]
        assert [row["id"] for row in read([file])] == [row["id"] for row in wanted]
        assert [row["texts"] for row in read([file])] == [row["texts"] for row in wanted]


def test_a_partition_of_nan_is_a_single_file(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, by("number"), write__parquet__row_group_size_bytes="1")
    rows = [{"id": n, "number": number} for n, number in enumerate([math.nan, 0.0, -0.0] * 3)]
    files = write(plan, rows, batch=2)
    assert sorted(repr(file.partition) for file in files) == ["(-0.0,)", "(0.0,)", "(nan,)"]
    assert {Path(file.path).parent.name for file in files} == {
        "number=NaN", "number=0.0", "number=-0.0",
    }  # fmt: skip


def test_a_file_ends_at_its_target_size(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path, write__target_file_size_bytes="100", write__parquet__row_group_size_bytes="1"
    )
    files = write(plan, [{"id": n} for n in range(3)], batch=1)
    assert [row["id"] for row in read(files)] == [0, 1, 2]
    assert [Path(file.path).name[-13:] for file in files] == [
        "00001.parquet", "00002.parquet", "00003.parquet",
    ]  # fmt: skip


def test_partitions_take_turns_when_there_are_more_than_open_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_writer, "MOST_OPEN_FILES", 2)
    plan = plan_of(tmp_path, by("text"), write__parquet__row_group_size_bytes="1")
    files = write(plan, [{"id": n, "text": "abaca"[n % 5]} for n in range(10)], batch=1)
    assert sorted(row["id"] for row in read(files)) == list(range(10))
    # `a` was written most often, and never had to be closed for others.
    assert sorted(file.partition[0] for file in files) == ["a", "b", "b", "c", "c"]


def test_no_rows_are_no_files(tmp_path: Path) -> None:
    assert write(plan_of(tmp_path), []) == []
    assert list(tmp_path.iterdir()) == []


def test_an_aborted_writer_leaves_no_files(tmp_path: Path) -> None:
    writer = TableWriter(
        plan_of(tmp_path, by("id"), write__parquet__row_group_size_bytes="1"), task="t"
    )
    for number in range(3):
        writer.write(pa.RecordBatch.from_pylist([{"id": number}], schema=writer.schema))
    assert len(list(tmp_path.rglob("*.parquet"))) == 3
    writer.abort()
    assert list(tmp_path.rglob("*.parquet")) == []


@pytest.mark.parametrize("row", [{"id": None}, {"id": 1, "point": {"x": 1.0, "y": None}}])
def test_a_null_in_a_required_column_is_an_error_and_can_be_aborted(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    writer = TableWriter(plan_of(tmp_path), task="t")
    writer.write(pa.RecordBatch.from_pylist([row], schema=writer.schema))
    with pytest.raises(pa.ArrowInvalid, match="null"):
        writer.close()
    writer.abort()
    assert list(tmp_path.rglob("*.parquet")) == []


def test_plans_and_files_are_pickled_and_show_no_secrets(tmp_path: Path) -> None:
    storage = {"s3.secret-access-key": "hush"}
    plan = FilesPlan(SCHEMA, 0, by("id"), str(tmp_path), {}, storage)
    assert pickle.loads(pickle.dumps(plan)) == plan  # noqa: S301
    assert "hush" not in repr(plan)
    (file,) = write(plan_of(tmp_path), [{"id": 1, "at": datetime(2026, 1, 1, tzinfo=UTC)}])
    assert pickle.loads(pickle.dumps(file)) == file  # noqa: S301


def test_json_of_a_file_is_that_of_icebergs_content_files(tmp_path: Path) -> None:
    spec = by("text")
    (file,) = write(plan_of(tmp_path, spec), [{"id": 1, "text": "a"}])
    document = data_file_json(file, spec)
    assert document["partition"] == ["a"]
    assert document["content"] == "data"
    assert document["spec-id"] == 5
    assert document["upper-bounds"] == {"keys": [1, 2], "values": ["0100000000000000", "61"]}
    assert document["nan-value-counts"] == {"keys": [3, 20], "values": [0, 0]}
    assert document["split-offsets"] == [4]
    (plain,) = write(plan_of(tmp_path), [{"id": 1}])
    assert "partition" not in data_file_json(plain, PartitionSpec())


@pytest.mark.parametrize("codec", ["zstd", "gzip", "snappy", "lz4", "brotli", "uncompressed"])
def test_the_codec_is_that_of_the_table(tmp_path: Path, codec: str) -> None:
    (file,) = write(plan_of(tmp_path, write__parquet__compression_codec=codec), [{"id": 1}])
    column = pq.read_metadata(file.path).row_group(0).column(0)
    assert column.compression.lower().removesuffix("_raw") == codec
    assert read([file])[0]["id"] == 1


def test_columns_have_dictionaries_filters_and_statistics_as_the_table_says(
    tmp_path: Path,
) -> None:
    properties = {
        "write.parquet.dict-encoding-enabled.column.text": "false",
        "write.parquet.bloom-filter-enabled.column.point.y": "true",
        "write.parquet.stats-enabled.column.id": "false",
    }
    plan = FilesPlan(SCHEMA, 0, PartitionSpec(), str(tmp_path), properties)
    (file,) = write(plan, [{"id": 1, "text": "a", "point": {"y": "p"}}])
    group = pq.read_metadata(file.path).row_group(0)
    columns = {group.column(n).path_in_schema: group.column(n) for n in range(group.num_columns)}
    assert columns["text"].dictionary_page_offset is None
    assert columns["texts.list.element"].dictionary_page_offset is not None
    assert columns["point.y"].bloom_filter_offset is not None
    assert columns["text"].bloom_filter_offset is None
    assert not columns["id"].is_stats_set
    assert 1 not in file.metrics.value_counts


def test_columns_of_distinct_values_get_no_dictionary(tmp_path: Path) -> None:
    rows = [{"id": n, "text": str(n % 100), "number": n / 2} for n in range(5000)]
    (file,) = write(plan_of(tmp_path), rows, batch=5000)
    group = pq.read_metadata(file.path).row_group(0)
    with_dictionary = {
        group.column(n).path_in_schema
        for n in range(group.num_columns)
        if group.column(n).dictionary_page_offset is not None
    }
    assert "text" in with_dictionary
    assert not {"id", "number"} & with_dictionary


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"write.format.default": "orc"}, "orc"),
        ({"encryption.key-id": "key"}, "encrypted"),
        ({"write.parquet.compression-codec": "lzo"}, "lzo"),
        ({"write.parquet.compression-level": "fast"}, "compression-level"),
        ({"write.parquet.page-version": "v3"}, "page-version"),
        ({"write.target-file-size-bytes": "0"}, "write.target-file-size-bytes"),
        ({"write.data.path": "gs://bucket/data"}, "gs"),
        ({"write.location-provider.impl": "com.example.Provider"}, "location-provider"),
    ],
)
def test_a_table_that_tasks_cannot_write_is_refused_when_it_is_planned(
    properties: dict[str, str], message: str
) -> None:
    plan = FilesPlan(SCHEMA, 0, PartitionSpec(), "s3://bucket/t", properties)
    with pytest.raises(UnsupportedTableError, match=message):
        check_plan(plan)


@pytest.mark.parametrize("kind", ["variant", "unknown", "geometry"])
def test_a_type_that_tasks_cannot_write_is_refused_by_its_column(kind: str) -> None:
    nested = Struct((Column("inner", Primitive(kind), id=2),))
    schema = Struct((Column("outer", List(nested, element_id=3), id=1),))
    with pytest.raises(UnsupportedTableError, match=f"inner has the type {kind}"):
        check_plan(FilesPlan(schema, 0, PartitionSpec(), "/t"))


def test_a_table_that_tasks_can_write_is_accepted() -> None:
    check_plan(FilesPlan(SCHEMA, 0, by("uuid", "bucket[4]"), "s3://bucket/t"))
