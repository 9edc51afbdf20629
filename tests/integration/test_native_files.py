"""Files of Python tasks beside those of Iceberg's own writer: the same metadata, the same rows."""

import json
import random
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.table import StaticTable
from pyspark.sql import SparkSession
from tests.support.iceberg_files import JavaTable
from tests.support.spark import LEAVES_SOCKETS

from frazil.spark_sink.tasks.files.data_file import DataFile
from frazil.spark_sink.tasks.files.locations import file_prefix
from frazil.spark_sink.tasks.files.table_writer import TableWriter
from frazil.spark_sink.tasks.storage import split_location

pytestmark = LEAVES_SOCKETS
CATALOG = "lake"
ROWS = 300
_numbers = count(1)

FIELDS: list[tuple[str, Any, bool]] = [
    ("id", "long", True),
    ("flag", "boolean", False),
    ("small", "int", False),
    ("big", "long", False),
    ("single", "float", False),
    ("double", "double", False),
    ("money", "decimal(9, 2)", False),
    ("sum", "decimal(18, 4)", False),
    ("huge", "decimal(38, 10)", False),
    ("day", "date", False),
    ("at", "timestamptz", False),
    ("wall", "timestamp", False),
    ("text", "string", False),
    ("bytes", "binary", False),
    ("code", "fixed[5]", False),
    ("uuid", "uuid", False),
    ("note", "string", False),
    ("blob", "binary", False),
]
SPECS: list[list[tuple[str, str]]] = [
    [],
    [("at", "day"), ("text", "bucket[4]")],
    [("wall", "hour"), ("flag", "identity")],
    [("day", "year"), ("at", "month"), ("big", "bucket[3]"), ("small", "void")],
    [("double", "identity")],
    [("single", "identity"), ("inner.y", "identity")],
    [("money", "identity"), ("huge", "truncate[1000]")],
    [("text", "identity")],
    [("text", "truncate[3]"), ("bytes", "truncate[1]")],
    [("wall", "identity"), ("day", "identity")],
    [("uuid", "bucket[5]"), ("code", "bucket[5]"), ("bytes", "bucket[5]")],
    [("code", "identity")],
    [("flag", "identity"), ("uuid", "void")],
    [("small", "truncate[100]"), ("big", "truncate[7]"), ("sum", "bucket[6]")],
    [("at", "identity"), ("bytes", "identity")],
]
TEXTS = [
    "",
    "a",
    "null",
    "iceberg tables of ice",
    "a b/c=d&e%f~*+?#",
    "\U0010ffff" * 20,
    "x" * 10 + "\U0010ffff" * 8,
    "\ud7ff" * 17,
    "\U0001f9ca" * 17,
    "é" * 16,
]
LONG_TEXTS = [*TEXTS, "y" * 5000, "y" * 4096, "y" * 4097]
BYTES = [b"", b"\x00", b"\xff" * 20, b"ab" + b"\xff" * 16, b"0123456789abcdef"]
LONG_BYTES = [*BYTES, b"\x80" * 5000]
DOUBLES = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.5, -2.25, 1e10, 1e-5, 0.001]


def some_rows(seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)  # noqa: S311
    noon = datetime(1970, 1, 1, tzinfo=UTC)

    def moment() -> datetime:
        return noon + timedelta(
            microseconds=chance.choice([-1, 0, 1, chance.randint(-9, 9) * 10**14])
        )

    def struct() -> dict[str, Any] | None:
        return chance.choice(
            [None, {"x": chance.choice(DOUBLES), "y": chance.choice([None, 1, -1]), "z": 0.5}]
        )

    makers: dict[str, Callable[[], Any]] = {
        "flag": lambda: chance.random() < 0.5,
        "small": lambda: chance.choice([0, -1, 99, -101, 2**31 - 1]),
        "big": lambda: chance.choice([0, -1, 13, -(2**63)]),
        "single": lambda: chance.choice(DOUBLES),
        "double": lambda: chance.choice(DOUBLES),
        "money": lambda: Decimal(chance.choice([0, -1, 128, -14201])).scaleb(-2),
        "sum": lambda: Decimal(chance.randint(-(10**17), 10**17)).scaleb(-4),
        "huge": lambda: Decimal(chance.choice([-1, 5, 10**20, -(10**33)])).scaleb(-10),
        "day": lambda: date(1970, 1, 1) + timedelta(days=chance.choice([-1, 0, 1, -400, 20_000])),
        "at": moment,
        "wall": lambda: moment().replace(tzinfo=None),
        "text": lambda: chance.choice(TEXTS),
        "bytes": lambda: chance.choice(BYTES),
        "code": lambda: chance.choice([b"12345", b"\xff" * 5]),
        "uuid": lambda: UUID(int=chance.choice([1, 2**127, 2**128 - 1])).bytes,
        "note": lambda: chance.choice(LONG_TEXTS),
        "blob": lambda: chance.choice(LONG_BYTES),
        "inner": struct,
        "texts": lambda: [chance.choice([None, "a"]) for _ in range(chance.randrange(3))],
        "points": lambda: [{"x": chance.choice(DOUBLES)} for _ in range(chance.randrange(3))],
        "sums": lambda: [(key, chance.choice(DOUBLES)) for key in "ab"[: chance.randrange(3)]],
    }
    return [
        {"id": number}
        | {name: None if chance.random() < 0.2 else make() for name, make in makers.items()}
        for number in range(ROWS)
    ]


def schema_json() -> dict[str, Any]:
    def field(number: int, name: str, kind: Any, required: bool = False) -> dict[str, Any]:
        return {"id": number, "name": name, "type": kind, "required": required}

    columns = [field(n, *one) for n, one in enumerate(FIELDS, 1)]
    inner = [field(51, "x", "double"), field(52, "y", "int"), field(53, "z", "double", True)]
    point = {"type": "struct", "fields": [field(54, "x", "float")]}
    strings = {"type": "list", "element-id": 55, "element": "string", "element-required": False}
    points = {"type": "list", "element-id": 56, "element": point, "element-required": False}
    sums = {
        "type": "map", "key-id": 57, "key": "string",
        "value-id": 58, "value": "double", "value-required": False,
    }  # fmt: skip
    columns += [
        field(41, "inner", {"type": "struct", "fields": inner}),
        field(42, "texts", strings),
        field(43, "points", points),
        field(44, "sums", sums),
    ]
    return {"type": "struct", "schema-id": 0, "fields": columns}


@pytest.fixture(scope="module")
def namespace(lake_session: SparkSession) -> str:
    lake_session.sql(f"CREATE NAMESPACE {CATALOG}.native")
    return f"{CATALOG}.native"


def nano_json() -> dict[str, Any]:
    columns = [
        {"id": number, "name": name, "type": kind, "required": required}
        for number, (name, kind, required) in enumerate(NANO_FIELDS, 1)
    ]
    return {"type": "struct", "schema-id": 0, "fields": columns}


def create(
    session: SparkSession,
    namespace: str,
    spec: list[tuple[str, str]],
    columns: dict[str, Any] | None = None,
    **properties: str,
) -> JavaTable:
    iceberg = session._jvm.org.apache.iceberg  # type: ignore[union-attr]
    schema = iceberg.SchemaParser.fromJson(json.dumps(columns or schema_json()))
    fields = [
        {
            "source-id": schema.findField(source).fieldId(),
            "field-id": number,
            "name": f"{source}_{transform.partition('[')[0]}",
            "transform": transform,
        }
        for number, (source, transform) in enumerate(spec, 1000)
    ]
    document = json.dumps({"spec-id": 0, "fields": fields})
    partitions = iceberg.PartitionSpecParser.fromJson(schema, document)
    name = f"t{next(_numbers)}"
    catalog = iceberg.spark.Spark3Util.loadIcebergCatalog(session._jsparkSession, CATALOG)
    identifier = iceberg.catalog.TableIdentifier.parse(f"native.{name}")
    catalog.createTable(identifier, schema, partitions, None, {"format-version": "2", **properties})
    return JavaTable(session, f"{namespace}.{name}")


def write(table: JavaTable, rows: list[dict[str, Any]], *, batch: int = 100) -> list[DataFile]:
    plan = table.plan()
    writer = TableWriter(plan, task=file_prefix(0, next(_numbers), "test"))
    for start in range(0, len(rows), batch):
        part = rows[start : start + batch]
        writer.write(pa.RecordBatch.from_pylist(part, schema=writer.schema))
    files = writer.close()
    table.append(plan, files)
    return files


def described(session: SparkSession, table: JavaTable) -> dict[str, dict[str, Any]]:
    """Describe each file by its folder, but for its name and size."""
    files = session.table(f"{table.name}.files").drop("readable_metrics").collect()
    result = {}
    for file in files:
        row = file.asDict(recursive=True)
        path, size = row.pop("file_path"), row.pop("file_size_in_bytes")
        folder = path.partition("/data/")[2].rpartition("/")[0]
        row["column_sizes"] = set(row["column_sizes"])
        assert size > max(row.pop("split_offsets")) > 0
        key = f"{folder} {row.get('partition')}"
        assert key not in result
        result[key] = {name: repr_sorted(value) for name, value in row.items()}
    return result


def repr_sorted(value: Any) -> str:
    return repr(sorted(value.items()) if isinstance(value, Mapping) else value)


def by_id(rows: pa.Table) -> list[str]:
    """Return rows as texts, in which NaN is equal to itself and -0.0 is not 0.0."""
    return [repr(row) for row in sorted(rows.to_pylist(), key=itemgetter("id"))]


def in_files(session: SparkSession, table: JavaTable) -> list[str]:
    """Read what is in a table's files, without any client of Iceberg."""
    files = session.table(f"{table.name}.files").select("file_path").collect()
    paths = [split_location(file.file_path)[1] for file in files]
    return by_id(pa.concat_tables(pq.ParquetFile(path).read() for path in paths))


def shown(file: DataFile) -> dict[str, Any]:
    metrics = file.metrics
    return {
        "value_counts": metrics.value_counts,
        "null_value_counts": metrics.null_value_counts,
        "lower_bounds": metrics.lower_bounds,
        "upper_bounds": metrics.upper_bounds,
    }


def by_pyiceberg(table: JavaTable) -> list[str]:
    table.table.refresh()
    location = table.table.operations().current().metadataFileLocation()
    return by_id(StaticTable.from_metadata(location).scan().to_arrow())


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_files_are_described_and_read_as_those_of_icebergs_own_writer(
    lake_session: SparkSession, namespace: str, spec: list[tuple[str, str]]
) -> None:
    ours = create(lake_session, namespace, spec)
    theirs = create(lake_session, namespace, spec)
    rows = some_rows(len(spec))
    write(ours, rows)
    copied = lake_session.table(ours.name).coalesce(1).writeTo(theirs.name)
    copied.option("fanout-enabled", "true").append()

    assert described(lake_session, ours) == described(lake_session, theirs)
    written = pa.Table.from_pylist(rows, schema=TableWriter(ours.plan(), task="x").schema)
    assert in_files(lake_session, ours) == by_id(written)
    # Spark has read these from ours.
    assert in_files(lake_session, theirs) == by_id(written)
    if ("code", "identity") not in spec:  # PyIceberg reads no manifests with `fixed` in them
        assert by_pyiceberg(ours) == by_pyiceberg(theirs)


MODES = "write.metadata.metrics"


@pytest.mark.parametrize(
    "properties",
    [
        {f"{MODES}.default": "full"},
        {f"{MODES}.default": "none", f"{MODES}.column.text": "truncate(3)"},
        {f"{MODES}.default": "counts", f"{MODES}.column.inner.x": "full"},
        {f"{MODES}.default": "truncate(1)", f"{MODES}.column.double": "none"},
        {f"{MODES}.default": "nonsense", f"{MODES}.column.note": "truncate(0)"},
        {f"{MODES}.max-inferred-column-defaults": "20"},
        {f"{MODES}.max-inferred-column-defaults": "21", f"{MODES}.column.inner.y": "counts"},
        {f"{MODES}.max-inferred-column-defaults": "25"},
        {"write.parquet.bloom-filter-enabled.column.text": "true"},
        {"write.parquet.compression-codec": "gzip"},
    ],
    ids=lambda properties: " ".join(map("=".join, properties.items())).replace(MODES, "metrics"),
)
def test_table_properties_say_what_is_measured_as_for_icebergs_own_writer(
    lake_session: SparkSession, namespace: str, properties: dict[str, str]
) -> None:
    ours = create(lake_session, namespace, [], None, **properties)
    theirs = create(lake_session, namespace, [], None, **properties)
    rows = some_rows(7)
    write(ours, rows)
    lake_session.table(ours.name).coalesce(1).writeTo(theirs.name).append()

    assert described(lake_session, ours) == described(lake_session, theirs)
    assert in_files(lake_session, ours) == in_files(lake_session, theirs)


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_rows_in_our_files_are_deleted_merged_and_compacted(
    lake_session: SparkSession, namespace: str, mode: str
) -> None:
    modes = {f"write.{kind}.mode": mode for kind in ("delete", "update", "merge")}
    table = create(lake_session, namespace, [("at", "day"), ("flag", "identity")], None, **modes)
    rows = some_rows(3)
    for start in range(0, ROWS, 100):
        write(table, rows[start : start + 100])
    sql = lake_session.sql
    sql(f"DELETE FROM {table.name} WHERE id < 30 OR text = 'a'")
    sql(f"UPDATE {table.name} SET note = 'updated' WHERE small = 99")
    sql(
        f"MERGE INTO {table.name} t USING (SELECT id + 290 AS id FROM range(20)) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET text = 'merged'"
        " WHEN NOT MATCHED THEN INSERT (id, text) VALUES (s.id, 'inserted')"
    )
    before = by_pyiceberg(table)
    sql(
        f"CALL lake.system.rewrite_data_files(table => '{table.name}', "
        "options => map('rewrite-all', 'true'))"
    )

    assert by_pyiceberg(table) == before
    texts = {row["id"]: row["text"] for row in rows if row["id"] >= 30 and row["text"] != "a"}
    texts |= {number: "merged" for number in texts if number >= 290}
    texts |= {number: texts.get(number, "inserted") for number in range(290, 310)}
    collected = lake_session.table(table.name).select("id", "text").collect()
    assert {row.id: row.text for row in collected} == texts


NANO_FIELDS = [
    ("id", "long", True),
    ("clock", "time", False),
    ("wall", "timestamp_ns", False),
    ("at", "timestamptz_ns", False),
    ("uuid", "uuid", False),
]
NANO_SPECS = [
    [],
    [("wall", "hour"), ("at", "bucket[4]")],
    [("wall", "day"), ("at", "month"), ("clock", "bucket[4]")],
    [("at", "year"), ("clock", "identity")],
    [("clock", "identity"), ("uuid", "identity")],
    [("wall", "year"), ("at", "bucket[7]"), ("uuid", "bucket[3]")],
]
NANOS = [0, -1, -1000, -1001, 1, 999, 1_795_176_000_123_456_789, -3_600_000_000_000, None]
MICROS = [0, 1, 61_000_000, 60_000_000, 86_399_999_999, 3_600_123_000, None]


@pytest.mark.parametrize("spec", NANO_SPECS, ids=str)
def test_times_and_nanoseconds_are_those_of_icebergs_generic_writer(
    lake_session: SparkSession, namespace: str, tmp_path: Path, spec: list[tuple[str, str]]
) -> None:
    table = create(lake_session, namespace, spec, nano_json(), **{"format-version": "3"})
    chance = random.Random(1)  # noqa: S311
    rows = [
        {
            "id": number,
            "clock": chance.choice(MICROS),
            "wall": chance.choice(NANOS),
            "at": chance.choice(NANOS),
            "uuid": chance.choice([None, b"\x00" * 16, b"\xff" * 16]),
        }
        for number in range(200)
    ]
    files = write(table, rows)
    paths: dict[Any, Any] = {}
    for file in files:
        ids = pq.ParquetFile(split_location(file.path)[1]).read(["id"])["id"].to_pylist()
        folder = file.path.partition("/data/")[2].rpartition("/")[0]
        paths |= dict.fromkeys(ids, folder)
    records = table.records()

    assert len(records) == len(paths) == len(rows)
    assert {record.getField("id"): table.partition_path(record) for record in records} == paths
    for file in files if len(files) == 1 else ():
        assert table.metrics_of(records, tmp_path / "theirs.parquet") == shown(file)
