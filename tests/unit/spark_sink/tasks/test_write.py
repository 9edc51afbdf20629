"""A task takes records to rows in files: each by itself, whatever else is in its batch."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frazil.contracts.columns import ColumnRules, Policy
from frazil.contracts.plugins import find_plugin
from frazil.contracts.table_template import parse_template
from frazil.spark_sink.records.changes import ChangeRules
from frazil.spark_sink.records.conversion import ConversionRules
from frazil.spark_sink.records.errors import Stage
from frazil.spark_sink.records.routes import Route
from frazil.spark_sink.records.schema.applied import applied
from frazil.spark_sink.records.schema.merge import merge
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.records.schema.types import Column, Primitive, Struct, with_ids
from frazil.spark_sink.tasks.changes import CHANGE, CHANGE_COLUMN
from frazil.spark_sink.tasks.chunks import ArrowChunk, chunks_of_batch
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.partitions import PartitionSpec
from frazil.spark_sink.tasks.plan import RecordPlan, TablePlan, TaskPlan
from frazil.spark_sink.tasks.result import DEAD_LETTER_BYTES, WriteResult, added_by
from frazil.spark_sink.tasks.scratch import scratch_schema
from frazil.spark_sink.tasks.write import Task, write

CONNECT = "org.apache.kafka.connect.transforms."
CLASS = "org.apache.iceberg.connect.IcebergSinkConnector"
COLUMNS = Struct(
    (
        Column("id", Primitive("long"), required=True, id=1),
        Column("name", Primitive("string"), id=2),
    )
)
_TIME = 1_795_003_200_000


def record_plan(**keys: str) -> RecordPlan:
    config = {
        "name": "c",
        "connector.class": CLASS,
        "topics": "t",
        "iceberg.tables": "a.b",
        "iceberg.catalog.type": "hadoop",
    }
    return RecordPlan.of(find_plugin(CLASS).parse({**config, **keys}))


def chunks(values: Sequence[Any], *, size: int = 1000, start: int = 0) -> Iterable[ArrowChunk]:
    """Put values into chunks; what is no text or bytes is written as JSON."""
    rows = [
        value if isinstance(value, bytes | None) else json.dumps(value).encode() for value in values
    ]
    for first in range(0, len(rows), size):
        some = rows[first : first + size]
        yield from chunks_of_batch(
            pa.record_batch(
                {
                    "topic": pa.array(["t"] * len(some)),
                    "partition": pa.array([0] * len(some), pa.int32()),
                    "offset": pa.array(range(start + first, start + first + len(some)), pa.int64()),
                    "timestamp": pa.array([_TIME * 1000] * len(some), pa.timestamp("us", "UTC")),
                    "key": pa.array([None] * len(some), pa.binary()),
                    "value": pa.array(some, pa.binary()),
                }
            ),
            chunk=size,
        )


@dataclass
class Lab:
    """A table in a folder."""

    folder: Path
    records: RecordPlan
    columns: Struct = COLUMNS
    conversion: ConversionRules = field(default_factory=ConversionRules)

    def plan(self, **more: Any) -> TablePlan:
        files = (
            FilesPlan(self.columns, 0, PartitionSpec(), self.folder.as_uri())
            if self.columns.columns
            else None
        )
        return TablePlan("a.b", self.columns, self.conversion, **{"files": files, **more})

    def write(self, values: Sequence[Any], *, size: int = 1000, **more: Any) -> WriteResult:
        return write(TaskPlan(self.records, {"a.b": self.plan(**more)}), chunks(values, size=size))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, record_plan())


def rows(result: WriteResult, table: str = "a.b") -> list[dict[str, Any]]:
    paths = [file.path.removeprefix("file:") for file in result.tables[table].files]
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def offsets(result: WriteResult, table: str = "a.b") -> list[int]:
    return [letter.record.offset for letter in result.tables[table].dead_letters.kept]


def test_records_are_rows_in_files_and_are_counted(lab: Lab) -> None:
    result = lab.write([{"id": 1, "name": "x"}, {"id": 2}, None])
    assert rows(result) == [{"id": 1, "name": "x"}, {"id": 2, "name": None}]
    counts = result.tables["a.b"].counts
    assert (counts.consumed, counts.filtered, counts.dead) == (3, 1, 0)
    assert (counts.min_time, counts.newest) == (_TIME, {("t", 0): _TIME})


def test_one_odd_record_costs_itself(lab: Lab) -> None:
    result = lab.write([{"id": 1}, {"id": "x"}, {"id": "2"}, b"{", {"name": "y"}, {"id": 3}])
    assert sorted(row["id"] for row in rows(result)) == [1, 2, 3]
    assert offsets(result) == [1, 3, 4]
    stages = [letter.stage for letter in result.tables["a.b"].dead_letters.kept]
    assert stages == [Stage.PUT, Stage.VALUE_CONVERTER, Stage.PUT]


def test_what_a_table_has_already_is_left_out(lab: Lab) -> None:
    result = lab.write([{"id": number} for number in range(5)], written={"t": {0: 3}})
    assert [row["id"] for row in rows(result)] == [3, 4]
    assert result.tables["a.b"].counts.consumed == 2


def test_once_a_record_asks_for_a_column_nothing_is_written(lab: Lab) -> None:
    values = [{"id": 1}, {"id": 2, "new": 1.5}, {"id": 3, "newer": True}, {"id": 4}]
    result = lab.write(values, evolution=EvolutionRules())
    table = result.tables["a.b"]
    assert [(place.offset, path) for place, path in added_by(table.asked)] == [
        (1, ("new",)),
        (2, ("newer",)),
    ]
    assert table.files == ()
    assert not list(lab.folder.rglob("*.parquet"))
    assert table.counts.consumed == 4


def test_a_record_that_is_refused_asks_for_nothing(lab: Lab) -> None:
    result = lab.write([{"id": "x", "new": 1}], evolution=EvolutionRules())
    assert result.tables["a.b"].asked == ()
    assert offsets(result) == [0]


def test_a_record_without_fields_cannot_make_a_table(lab: Lab) -> None:
    lab.columns = Struct(())
    result = lab.write([{}, {"id": 1}, {}], evolution=EvolutionRules(creating=True))
    assert offsets(result) == [0]
    assert [ask.place.offset for ask in result.tables["a.b"].asked] == [1]


def test_a_transform_that_filters_leaves_nothing_and_one_that_fails_names_itself(lab: Lab) -> None:
    lab.records = record_plan(
        **{
            "transforms": "drop,cast",
            "transforms.drop.type": f"{CONNECT}Filter",
            "transforms.drop.predicate": "gone",
            "predicates": "gone",
            "predicates.gone.type": f"{CONNECT}predicates.RecordIsTombstone",
            "transforms.cast.type": f"{CONNECT}Cast$Value",
            "transforms.cast.spec": "id:int32",
        }
    )
    result = lab.write([None, {"id": "7"}, {"id": "x"}])
    assert [row["id"] for row in rows(result)] == [7]
    (letter,) = result.tables["a.b"].dead_letters.kept
    assert (letter.stage, letter.class_name) == (
        Stage.TRANSFORMATION,
        "org.apache.kafka.connect.transforms.Cast$Value",
    )
    assert result.tables["a.b"].counts.filtered == 1


def test_records_go_to_the_tables_that_they_name(tmp_path: Path) -> None:
    records = replace(record_plan(), route=Route(parse_template("ns.${value.kind}")))
    lab = Lab(tmp_path, records)
    plan = TaskPlan(records, {"ns.x": lab.plan()})
    values = [
        {"id": 1, "kind": "x"},
        {"id": 2, "kind": "y"},
        {"id": 3},
        b"{",
        {"id": 4, "kind": "X"},
    ]
    result = write(plan, chunks(values))
    assert [row["id"] for row in rows(result, "ns.x")] == [1, 4]
    assert (result.routed, result.unrouted) == ({"ns.x": 2, "ns.y": 1}, 1)
    assert [letter.record.offset for letter in result.dead_letters.kept] == [3]
    assert result.tables["ns.x"].counts.consumed == 2


_ROUTED = [
    {"id": at, "name": "n", "kind": kind} for at in range(12) for kind in ("ns.x", "ns.y", "ns.z")
]


@pytest.mark.parametrize("size", [1000, 40, 3])
@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"id": 1, "kind": "NS.X"}, id="a name in capitals"),
        pytest.param({"id": "1", "name": 2, "kind": "ns.x"}, id="values of other types"),
        pytest.param({"id": "x", "kind": "ns.y"}, id="a value that does not fit"),
        pytest.param({"id": 1, "kind": "ns.x", "more": []}, id="an empty field without a column"),
        pytest.param({"id": 1, "kind": "ns.x", "more": 1}, id="a field that asks for a column"),
        pytest.param({"id": 1, "kind": 5}, id="a name that is no text"),
        pytest.param({"id": 1, "kind": "nowhere"}, id="a name that is none"),
        pytest.param({"id": 1}, id="no name"),
        pytest.param(b'{"id": 1, "kind": "ns.x", "kind": "ns.y"}', id="two names"),
        pytest.param(b'{"kind": "ns.x", "id": 1, "name": "\\u00', id="JSON that ends"),
        pytest.param(b'{"kind": "ns.z", "id": 1, "name": nul}', id="no JSON, for no table here"),
        pytest.param(b'["ns.x"]', id="no fields"),
        pytest.param(None, id="a tombstone"),
    ],
)
def test_a_look_at_the_name_alone_changes_nothing(tmp_path: Path, odd: Any, size: int) -> None:
    values = [*_ROUTED[:20], odd, *_ROUTED[20:]]
    found = [_routed(tmp_path / str(fast), values, fast=fast, size=size) for fast in (True, False)]
    assert found[0] == found[1]
    assert len(found[0][0]["ns.y"]) >= 12


def _routed(folder: Path, values: list[Any], *, fast: bool, size: int) -> tuple[Any, ...]:
    records = replace(record_plan(), route=Route(parse_template("${value.kind}")), fast=fast)
    columns = Struct((*COLUMNS.columns, Column("kind", Primitive("string"), id=3)))
    plans = {
        name: replace(
            Lab(folder / name, records, columns).plan(),
            name=name,
            evolution=EvolutionRules(creating=False),
        )
        for name in ("ns.x", "ns.y")
    }
    result = write(TaskPlan(records, plans), chunks(values, size=size))
    assert result.failure is None
    return (
        {name: sorted(map(str, rows(result, name))) for name in plans},
        {name: replace(result.tables[name].counts) for name in plans},
        {name: offsets(result, name) for name in plans},
        {name: result.tables[name].asked for name in plans},
        [letter.record.offset for letter in result.dead_letters.kept],
        dict(result.routed),
        (result.consumed, result.bytes, result.unrouted),
    )


def test_a_value_that_is_nulled_leaves_a_letter_beside_its_row(lab: Lab) -> None:
    lab.conversion = ConversionRules(columns=ColumnRules(default=Policy.NULL))
    lab.columns = Struct(
        (Column("id", Primitive("long"), id=1), Column("n", Primitive("int"), id=2))
    )
    result = lab.write([{"id": 1, "n": "x"}])
    assert rows(result) == [{"id": 1, "n": None}]
    (letter,) = result.tables["a.b"].dead_letters.kept
    assert letter.nulled
    assert (result.tables["a.b"].counts.nulled, result.tables["a.b"].counts.dead) == (1, 0)


def test_a_misfit_by_the_policy_fail_stops_the_connector(lab: Lab) -> None:
    lab.conversion = ConversionRules(columns=ColumnRules(default=Policy.FAIL))
    stop = lab.write([{"id": 1}, {"id": "2"}]).tables["a.b"].stop
    assert stop is not None
    assert stop.record.offset == 1


def test_changes_say_where_they_come_from_and_a_deletion_needs_its_key_alone(lab: Lab) -> None:
    lab.columns = replace_required(COLUMNS, "name")
    plan = lab.plan(changes=ChangeRules(keys=("id",), operation=("op",)))
    files = replace(plan.files, schema=scratch_schema(lab.columns, CHANGE_COLUMN))  # type: ignore[type-var]
    values = [{"id": 1, "name": "x", "op": "I"}, {"id": 2, "op": "D"}, {"id": 3, "op": "U"}]
    result = lab.write(values, changes=plan.changes, files=files)
    found = [
        (row["id"], row["name"], row[CHANGE]["offset"], row[CHANGE]["deletes"])
        for row in rows(result)
    ]
    assert found == [(1, "x", 0, False), (2, None, 1, True)]
    assert offsets(result) == [2]


def replace_required(schema: Struct, name: str) -> Struct:
    return Struct(
        tuple(replace(one, required=one.required or one.name == name) for one in schema.columns)
    )


def test_a_refusal_makes_dead_letters_of_all(lab: Lab) -> None:
    result = lab.write([{"id": 1}, {"id": 2}], refusal="it is not written now", files=None)
    assert offsets(result) == [0, 1]
    assert result.tables["a.b"].dead_letters.kept[0].message == "it is not written now"


def test_many_letters_are_counted_but_not_carried(lab: Lab) -> None:
    big = {"id": "x" * (DEAD_LETTER_BYTES // 3)}
    dead_letters = lab.write([big] * 4).tables["a.b"].dead_letters
    assert (dead_letters.count, dead_letters.kept, dead_letters.is_whole) == (4, [], False)


def test_a_storage_that_refuses_fails_its_table_alone(lab: Lab, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    other = Lab(blocked, lab.records)
    plan = TaskPlan(lab.records, {"a.b": lab.plan(), "a.c": other.plan()})
    result = write(plan, chunks([{"id": 1}]))
    assert isinstance(result.tables["a.c"].failure, OSError)
    assert rows(result) == [{"id": 1, "name": None}]


def test_a_read_that_fails_leaves_nothing_behind(lab: Lab) -> None:
    def broken() -> Iterable[ArrowChunk]:
        yield from chunks([{"id": 1}])
        raise ConnectionError

    result = write(TaskPlan(lab.records, {"a.b": lab.plan()}), broken())
    assert isinstance(result.failure, ConnectionError)
    assert not list(lab.folder.rglob("*.parquet"))


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**40), 2**40), st.floats(allow_nan=False, width=32),
    st.text(max_size=4), st.sampled_from(["1", "2026-11-20T10:00:00Z", "true"]),
)  # fmt: skip
_DOCUMENTS = st.dictionaries(
    st.sampled_from(["id", "name", "a", "b"]),
    st.one_of(
        _VALUES, st.lists(_VALUES, max_size=2), st.dictionaries(st.sampled_from("xy"), _VALUES)
    ),
    max_size=4,
)


@dataclass
class Driver:
    """Does what the driver does: adds the columns that records ask for, and has them read again."""

    folder: Path
    fast: bool
    table: Struct = field(default_factory=lambda: Struct(()))
    keys: dict[str, str] = field(default_factory=dict)

    def write(self, values: Sequence[Any], start: int, size: int) -> tuple[list[str], list[int]]:
        records = replace(record_plan(**self.keys), fast=self.fast)
        added: list[Any] = []
        is_new = not self.table.columns
        for _ in range(3):
            files = FilesPlan(self.table, 0, PartitionSpec(), self.folder.as_uri())
            plan = TablePlan(
                "a.b",
                self.table,
                ConversionRules(),
                evolution=EvolutionRules(creating=not self.table.columns),
                files=files if self.table.columns else None,
                added=tuple(added),
                is_new=is_new,
            )
            result = write(TaskPlan(records, {"a.b": plan}), chunks(values, size=size, start=start))
            assert result.failure is None
            table = result.tables["a.b"]
            if not table.asked:
                return [
                    json.dumps(row, default=str, sort_keys=True) for row in rows(result)
                ], offsets(result)
            added = sorted([*added, *added_by(table.asked)])
            wider = applied(self.table, merge(self.table, table.asked))
            self.table = cast("Struct", with_ids(wider, partial(next, count(1))))
        raise AssertionError("asked again and again")


@pytest.mark.timeout(120)
@settings(
    deadline=None,
    max_examples=25,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.one_of(_DOCUMENTS, st.just(b"{"), st.none()), max_size=8))
def test_a_row_depends_on_its_record_and_the_table_alone(tmp_path: Path, values: list[Any]) -> None:
    whole = Driver(tmp_path, fast=True)
    expected, dead = whole.write(values, 0, 1000)
    by_one = Driver(tmp_path, fast=False)
    found = [by_one.write([value], at, 1) for at, value in enumerate(values)]
    chunked = Driver(tmp_path, fast=True)
    assert [offset for _, dead_letters in found for offset in dead_letters] == sorted(dead)
    assert named(by_one.table) == named(whole.table)
    assert chunked.write(values, 0, 2)[1] == dead
    # Rows of earlier batches lack the columns that came later.
    full = [row for some, _ in found for row in some]
    assert sorted(map(without_nulls, full)) == sorted(map(without_nulls, expected))


def named(schema: Struct) -> list[tuple[str, str]]:
    return [(one.name, str(one.type)) for one in schema.columns]


def without_nulls(row: str) -> str:
    def stripped(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: stripped(item) for name, item in value.items() if item is not None}
        return value

    return json.dumps(stripped(json.loads(row)), sort_keys=True)


def test_letters_of_a_task_can_be_taken_chunk_by_chunk(lab: Lab) -> None:
    task = Task(TaskPlan(lab.records, {"a.b": lab.plan(files=None)}))
    for chunk in chunks([{"id": "x"}, {"id": "y"}], size=1):
        task.add(chunk)
        assert len(task.dead_letters_of("a.b").take()) == 1
