"""Values that their columns cannot hold: each policy, at any depth, for whatever brings them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.redrive import Pick, Redrive
from frazil.spark_sink.outcome import Outcome
from frazil.worker.errors import BadRecordError, BadTableError

pytestmark = LEAVES_SOCKETS
POLICY = "frazil.tables.conflict"
TYPE = "frazil.tables.type"
EVOLVE = {"iceberg.tables.evolve-schema-enabled": "true"}
AUTO = {"iceberg.tables.auto-create-enabled": "true"}
COLUMNS = "id BIGINT, age INT, who STRUCT<age: INT, name: STRING>, tags ARRAY<INT>"
# What fits, what can be made to fit, what cannot, and what is something else altogether.
AGES = [{"id": 0, "age": 1}, {"id": 1, "age": "2"}, {"id": 2, "age": "x"}, {"id": 3, "age": [1]}]
PEOPLE = [
    {"id": 4, "who": {"age": 1, "name": "a"}},
    {"id": 5, "who": {"age": "x", "name": "b"}},
    {"id": 6, "who": "nobody"},
]
LISTS = [{"id": 7, "tags": [1, "2"]}, {"id": 8, "tags": [1, "x"]}, {"id": 9, "tags": {"a": 1}}]
ALL = [*AGES, *PEOPLE, *LISTS]


def keys(lake: FleetLab, policy: str = "cast", **more: str) -> dict[str, str]:
    return {
        "iceberg.tables": f"{lake.namespace}.a",
        "errors.tolerance": "all",
        "frazil.dead.letters.table": f"{lake.namespace}.dead",
        POLICY: policy,
        **more,
    }


def create(lake: FleetLab, columns: str = COLUMNS, table: str = "a") -> None:
    lake.sql(f"CREATE TABLE NS.{table} ({columns}) USING iceberg")


def write(lake: FleetLab, values: list[Any], policy: str, **more: str) -> Outcome:
    create(lake)
    return lake.start(1, keys(lake, policy, **more)).write(values)


def letters(lake: FleetLab, columns: str = "offset, reason") -> list[tuple[Any, ...]]:
    return [tuple(row) for row in lake.sql(f"SELECT {columns} FROM NS.dead ORDER BY offset")]


def found(lake: FleetLab, columns: str) -> dict[int, Any]:
    rows = lake.sql(f"SELECT id, {columns} FROM NS.a ORDER BY id")
    return {row[0]: row[1] if len(row) == 2 else tuple(row[1:]) for row in rows}


def test_by_default_what_cannot_be_kept_is_dead(lake: FleetLab) -> None:
    outcome = write(lake, ALL, "cast")
    assert lake.ids("a") == [0, 1, 4, 7]
    # What is no struct, or no list, is not of the shape that is read.
    assert [offset for offset, _ in letters(lake)] == [2, 3, 5, 6, 8, 9]
    assert (outcome.written, outcome.dead, outcome.nulled) == (4, 6, 0)


def test_null_writes_the_row_without_the_value_and_keeps_the_record(lake: FleetLab) -> None:
    outcome = write(lake, ALL, "null")
    assert found(lake, "age, who.age, who.name, tags") == {
        0: (1, None, None, None),
        1: (2, None, None, None),
        2: (None, None, None, None),
        3: (None, None, None, None),
        4: (None, 1, "a", None),
        5: (None, None, "b", None),
        6: (None, None, None, None),
        7: (None, None, None, [1, 2]),
        8: (None, None, None, [1, None]),
        9: (None, None, None, None),
    }
    assert letters(lake, "offset, reason, message") == [
        (2, "nulled", "column age of type int cannot hold text that is not a number"),
        (3, "nulled", "column age of type int cannot hold a list"),
        (5, "nulled", "column who.age of type int cannot hold text that is not a number"),
        (6, "nulled", "column who of type struct<age: int, name: string> cannot hold text"),
        (8, "nulled", "column tags.element of type int cannot hold text that is not a number"),
        (9, "nulled", "column tags of type list<int> cannot hold a struct"),
    ]
    assert (outcome.written, outcome.dead, outcome.nulled) == (10, 0, 6)
    (ledger,) = lake.ledgers("a")
    assert (ledger.consumed, ledger.written, ledger.dead, ledger.nulled) == (10, 10, 0, 6)


def test_rescue_keeps_in_one_column_what_the_others_cannot_hold(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, age INT, n INT, _rescued_data STRING)")
    config = keys(lake, "rescue", **{f"{POLICY}.n": "null"})
    outcome = lake.start(1, config).write([{"id": 1, "age": "x", "n": "y"}, {"id": 2, "age": 3}])
    assert lake.sql("SELECT * FROM NS.a ORDER BY id") == [
        [1, None, None, '{"age":"x"}'],
        [2, 3, None, None],
    ]
    assert (outcome.written, outcome.dead, outcome.nulled) == (2, 0, 1)


def test_a_table_that_cannot_rescue_is_refused_at_the_start(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, age INT)")
    with pytest.raises(BadTableError, match="has no column _rescued_data"):
        lake.start(1, keys(lake, "rescue"))


WRONG: list[tuple[str, Any]] = [
    ("INT", "2"),
    ("INT", 1.0),
    ("INT", 2**40),
    ("INT", True),
    ("DOUBLE", "1.5"),
    ("BOOLEAN", "true"),
    ("STRING", 5),
    ("STRING", {"a": 1}),
    ("DECIMAL(5,2)", 1.005),
    ("TIMESTAMP", 1795003200500),
    ("TIMESTAMP", "noon"),
    ("DATE", 20775),
    ("STRUCT<a: INT>", {"a": "1"}),
    ("STRUCT<a: INT>", 1),
    ("ARRAY<INT>", [1, "2"]),
    ("MAP<STRING, INT>", {"k": "1"}),
]
RIGHT: list[tuple[str, Any]] = [
    ("INT", 2),
    ("DOUBLE", 3),
    ("DOUBLE", 0.1),
    ("STRING", "5"),
    ("DECIMAL(5,2)", 1.5),
    ("TIMESTAMP", "2026-11-18T12:00:00.5Z"),
    ("DATE", "2026-11-18"),
    ("BINARY", "aGk="),
    ("STRUCT<a: INT>", {"a": 1, "b": 2}),
    ("ARRAY<STRING>", ["x", None]),
    ("MAP<STRING, DOUBLE>", {"k": 1}),
]


def test_fail_stops_at_what_is_of_another_type_whatever_is_tolerated(lake: FleetLab) -> None:
    create(lake, ", ".join(f"c{n} {kind}" for n, (kind, _) in enumerate(WRONG)))
    run = lake.start(1, keys(lake, "fail"))
    for number, (kind, value) in enumerate(WRONG):
        with pytest.raises(BadRecordError, match=rf"t-0 at offset 1: column c{number}\b") as error:
            run.write([{}, {f"c{number}": value}])
        assert "the policy of its column is `fail`" in str(error.value), (kind, value)
    assert lake.ledgers("a") == []


def test_fail_lets_through_what_is_of_the_type_or_narrower(lake: FleetLab) -> None:
    create(lake, ", ".join(f"c{n} {kind}" for n, (kind, _) in enumerate(RIGHT)))
    run = lake.start(1, keys(lake, "fail"))
    outcome = run.write([{f"c{n}": value for n, (_, value) in enumerate(RIGHT)}, {"c0": None}])
    assert (outcome.written, outcome.dead) == (2, 0)
    assert lake.sql("SELECT c3, c6, c8.a FROM NS.a WHERE c0 = 2") == [
        ["5", datetime(2026, 11, 18, tzinfo=UTC).date(), 1]
    ]


def test_columns_are_made_of_the_types_that_are_given(lake: FleetLab) -> None:
    hints = {
        f"{TYPE}.price": "decimal(10,2)",
        f"{TYPE}.at": "timestamptz",
        f"{TYPE}.who.born": "date",
        f"{TYPE}.items.element.n": "int",
        "iceberg.table.a.type.on": "string",
        f"{POLICY}.price": "null",
    }
    run = lake.start(1, keys(lake, **AUTO, **EVOLVE, **hints))
    values = {"id": 0, "price": 1.5, "who": {"born": "2026-11-18"}, "items": [{"n": 1}]}
    run.write([values, {"id": 1, "price": "?", "on": True}])
    run.write([{"id": 2, "at": "2026-11-18T12:00:00Z"}])
    assert lake.columns("a") == {
        "id": "bigint",
        "items": "array<struct<n:int>>",
        "on": "string",
        "price": "decimal(10,2)",
        "who": "struct<born:date>",
        "at": "timestamp",
    }
    assert letters(lake) == [(1, "nulled")]


def test_a_table_of_an_older_format_gets_no_variant(lake: FleetLab) -> None:
    config = keys(lake, **AUTO, **{f"{TYPE}.v": "variant"})
    with pytest.raises(BadTableError, match="format-version"):
        lake.start(1, config).write([{"id": 1, "v": {"a": 1}}])
    newer = {"iceberg.tables.auto-create-props.format-version": "3"}
    lake.start(2, config | newer).write([{"id": 1, "v": {"a": 1}}, {"id": 2, "v": "x"}])
    assert lake.sql("SELECT to_json(v) FROM NS.a ORDER BY id") == [['{"a":1}'], ['"x"']]


def envelope(kind: str, value: Any) -> dict[str, Any]:
    fields = [{"field": "id", "type": "int32"}, {"field": "age", "type": kind, "optional": True}]
    return {"schema": {"type": "struct", "fields": fields}, "payload": {"id": 1, "age": value}}


WITH_SCHEMA = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "true",
}


@pytest.mark.parametrize(
    ("policy", "rows", "reasons"),
    [
        ("cast", [1, 2], ["row"]),
        ("null", [None, 1, 2], ["nulled"]),
    ],
)
def test_declared_types_are_dealt_with_alike(
    lake: FleetLab, policy: str, rows: list[Any], reasons: list[str]
) -> None:
    create(lake)
    run = lake.start(1, keys(lake, policy, **EVOLVE, **WITH_SCHEMA))
    run.write([envelope("int32", 1), envelope("string", "2"), envelope("string", "x")])
    assert [age for (age,) in lake.sql("SELECT age FROM NS.a ORDER BY age")] == rows
    assert [reason for _, reason in letters(lake)] == reasons


def test_fail_stops_at_a_declared_type_that_is_another_one(lake: FleetLab) -> None:
    create(lake)
    run = lake.start(1, keys(lake, "fail", **WITH_SCHEMA))
    run.write([envelope("int8", 1)])
    with pytest.raises(BadRecordError, match="column age"):
        run.write([envelope("string", "2")])


TRANSFORMED = {
    "transforms": "where",
    "transforms.where.type": "org.apache.kafka.connect.transforms.InsertField$Value",
    "transforms.where.topic.field": "topic",
}


def test_what_transforms_have_looked_at_is_dealt_with_alike(lake: FleetLab) -> None:
    create(lake, f"{COLUMNS}, topic STRING")
    refusing = {f"{POLICY}.who": "cast"}
    run = lake.start(1, keys(lake, "null", **EVOLVE, **TRANSFORMED, **refusing))
    run.write([*AGES[:3], *PEOPLE[:2], *LISTS[:2]])
    assert found(lake, "age, who.age, tags, topic") == {
        0: (1, None, None, "t"),
        1: (2, None, None, "t"),
        2: (None, None, None, "t"),
        4: (None, 1, None, "t"),
        7: (None, None, [1, 2], "t"),
        8: (None, None, [1, None], "t"),
    }
    assert letters(lake) == [(2, "nulled"), (4, "row"), (6, "nulled")]


def test_a_required_column_takes_no_null_for_a_value(lake: FleetLab) -> None:
    create(lake, "id BIGINT, age INT NOT NULL, who STRUCT<age: INT> NOT NULL")
    run = lake.start(1, keys(lake, "null", **{f"{POLICY}.who.age": "cast"}))
    run.write(
        [
            {"id": 0, "age": 1, "who": {}},
            {"id": 1, "age": "x", "who": {}},
            {"id": 2, "age": 1, "who": {"age": "x"}},
        ]
    )
    assert lake.ids("a") == [0]
    assert letters(lake) == [(1, "row"), (2, "row")]


def test_a_change_without_its_key_is_dead_and_one_that_deletes_needs_no_more(
    lake: FleetLab,
) -> None:
    create(lake, "id BIGINT NOT NULL, age INT, n BIGINT")
    changes = {
        "iceberg.tables.cdc-field": "op",
        "iceberg.tables.default-id-columns": "id",
        "frazil.tables.sequence-field": "n",
    }
    run = lake.start(1, keys(lake, "null", **changes))
    run.write([{"id": 1, "age": 1, "n": 1, "op": "c"}, {"id": 2, "age": "x", "n": 1, "op": "c"}])
    run.write(
        [
            {"id": "x", "age": 1, "n": 2, "op": "u"},
            {"id": 1, "age": 5, "n": "x", "op": "u"},
            {"id": 2, "age": "x", "n": 2, "op": "d"},
        ]
    )
    assert found(lake, "age") == {1: 1}
    assert letters(lake) == [(1, "nulled"), (2, "row"), (3, "row")]


def test_a_letter_whose_record_is_a_row_is_left_alone_by_a_redrive(lake: FleetLab) -> None:
    create(lake, "id BIGINT, age INT, v STRING NOT NULL")
    config = keys(lake, "null")
    lake.start(1, config).write(
        [{"id": 0, "age": "x", "v": "a"}, {"id": 1, "age": 1}, {"id": 2, "age": "x"}]
    )
    assert letters(lake) == [(0, "nulled"), (1, "row"), (2, "row")]
    lake.sql("ALTER TABLE NS.a ALTER COLUMN v DROP NOT NULL")
    order = Redrive(number=1, picks=(Pick(before=datetime.now(UTC)),))
    assert lake.start(2, config, redrive=order).redriven == 2
    assert found(lake, "age") == {0: None, 1: 1, 2: None}
    assert letters(lake) == [(0, "nulled"), (2, "nulled")]
    newest = lake.ledgers("a")[-1]
    assert (newest.redriven, newest.nulled, newest.written) == (2, 1, 0)
    again = Redrive(number=2, picks=(Pick(before=datetime.now(UTC), reason="nulled"),))
    assert lake.start(3, config, redrive=again).redriven == 0
    assert lake.ids("a") == [0, 1, 2]


def test_a_path_of_one_table_and_names_of_any_case(lake: FleetLab) -> None:
    create(lake)
    config = keys(
        lake,
        **{
            "iceberg.tables.schema-case-insensitive": "true",
            "iceberg.table.a.conflict.WHO.Age": "null",
        },
    )
    lake.start(1, config).write([{"ID": 1, "Who": {"AGE": "x"}}, {"ID": 2, "age": "x"}])
    assert lake.ids("a") == [1]
    assert letters(lake) == [(0, "nulled"), (1, "row")]


SINGLE = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x", "7", "1.5"])
ANY = st.recursive(
    SINGLE,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["age", "b"]), inner)
    ),
    max_leaves=4,
)
RECORDS = st.lists(
    st.fixed_dictionaries({}, optional={"age": ANY, "who": ANY, "tags": ANY}),
    min_size=15,
    max_size=30,
)


@pytest.mark.parametrize("policy", ["cast", "null"])
@settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(records=RECORDS)
def test_no_value_is_lost_in_silence(
    lake: FleetLab, policy: str, records: list[dict[str, Any]]
) -> None:
    for table in "a", "dead":
        lake.sql(f"DROP TABLE IF EXISTS NS.{table}")
    create(lake)
    run = lake.start(1, keys(lake, policy, **EVOLVE))
    outcome = run.write([{**record, "id": number} for number, record in enumerate(records)])
    rows = {
        row["id"]: row.asDict() for row in lake.spark.table(f"lake.{lake.namespace}.a").collect()
    }
    kept = dict(letters(lake)) if outcome.dead or outcome.nulled else {}
    for number, record in enumerate(records):
        both = number in rows and number in kept
        assert number in rows or number in kept
        assert both == (kept.get(number) == "nulled")
        if number in rows and not both:
            assert all(_is_there(rows[number], name, value) for name, value in record.items())
    assert policy == "null" or not outcome.nulled
    assert policy == "cast" or not outcome.dead
    (ledger,) = lake.ledgers("a")
    assert (ledger.written, ledger.dead, ledger.nulled) == (
        len(rows),
        outcome.dead,
        sum(reason == "nulled" for reason in kept.values()),
    )


def _is_there(row: dict[str, Any], name: str, value: Any) -> bool:
    """Tell whether a row has a value in its column."""
    if value is None:
        return True
    if name == "age":
        return row["age"] is not None
    if name == "tags":
        known = row["tags"] or []
        pairs = zip(known, value, strict=True)
        return all(one is not None or other is None for one, other in pairs)
    return value.get("age") is None or row["who"]["age"] is not None
