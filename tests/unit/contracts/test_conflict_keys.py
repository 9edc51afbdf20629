"""Keys about types of columns: read for a table, and refused by name where they make no sense."""

import pytest
from tests.support.sink_configs import PLUGIN, changed, complaints

from frazil.contracts.columns import ColumnType, Policy
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.conflict_keys import column_rules

DEFAULT = "frazil.tables.conflict"
RESCUED = "frazil.tables.rescued-column"
IGNORE_CASE = "iceberg.tables.schema-case-insensitive"
TABLES = {"iceberg.tables": "lake.a,lake.b"}
CREATING = {"iceberg.tables.auto-create-enabled": "true"}
KEEPING = {"errors.tolerance": "all", "frazil.dead.letters.table": "lake.dead"}


def parsed(keys: dict[str, str]) -> ParsedConfig:
    return PLUGIN.parse(changed({**TABLES, **keys}))


def objections(keys: dict[str, str]) -> str:
    found = complaints(changed({**TABLES, **keys}))
    return "\n".join(sentence for sentences in found.values() for sentence in sentences)


def test_a_table_has_its_own_keys_over_those_of_all_with_or_without_its_namespace() -> None:
    keys = {
        DEFAULT: "rescue",
        f"{DEFAULT}.x": "fail",
        f"{DEFAULT}.y.element": "cast",
        "iceberg.table.a.conflict.x": "rescue",
        "iceberg.table.lake.a.conflict.x": "cast",
        "frazil.tables.type.n": "long",
        "iceberg.table.b.type.n": "decimal(10,2)",
    }
    config = parsed(CREATING | keys)
    a, b = (column_rules(config, table) for table in ("lake.a", "lake.b"))
    assert (a.policy(("x",)), b.policy(("x",))) == (Policy.CAST, Policy.FAIL)
    assert (a.policy(("y",)), a.policy(("y", "element"))) == (Policy.RESCUE, Policy.CAST)
    assert (a.type(("n",)), b.type(("n",))) == (ColumnType("long"), ColumnType("decimal", 10, 2))


def test_a_path_may_be_named_like_a_setting_of_a_table() -> None:
    config = parsed({"iceberg.table.a.conflict.id-columns": "rescue"})
    assert column_rules(config, "lake.a").policy(("id-columns",)) is Policy.RESCUE


def test_values_are_rescued_into_a_column_that_has_a_name() -> None:
    assert column_rules(parsed({}), "lake.a").rescued == "_rescued_data"
    named = parsed({DEFAULT: "rescue", RESCUED: "others", IGNORE_CASE: "true"})
    assert column_rules(named, "lake.a").rescued == "others"


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({DEFAULT: "nul"}, f"Invalid value nul for configuration {DEFAULT}: String must be one of"),
        ({f"{DEFAULT}.x": "skip"}, f"{DEFAULT}.x: skip is no policy; give one of cast, fail"),
        ({f"{DEFAULT}.x": "raw"}, "raw is no policy; give one of cast, fail, null, rescue."),
        ({"iceberg.table.a.conflict.x": "skip"}, "a.conflict.x: skip is no policy"),
        ({f"{DEFAULT}.x..y": "fail"}, "x..y is no path of a column"),
        ({**CREATING, "frazil.tables.type.x": "bigint"}, "x: bigint is no type of a column"),
        ({"frazil.tables.type.x": "long"}, "type.x has no effect: no column is ever made"),
        ({"iceberg.table.z.conflict.x": "fail"}, "has no effect: z is not in iceberg.tables"),
        ({"frazil.tables.conflicts.x": "fail"}, "Did you mean frazil.tables.conflict?"),
        ({DEFAULT: "null"}, f"{DEFAULT}: null needs somewhere to keep the records"),
        ({"iceberg.table.a.conflict.x": "null"}, "x: null needs somewhere to keep the records"),
        (
            {
                **CREATING,
                "frazil.tables.type.x": "long",
                "iceberg.table.lake.b.conflict.x.y": "fail",
            },
            "b.conflict.x.y: x has a type of its own, so that nothing is inside of it.",
        ),
        (
            {
                **CREATING,
                "iceberg.table.a.type.x": "long",
                "iceberg.table.lake.a.conflict.x.y": "fail",
            },
            "a.conflict.x.y: x has a type of its own",
        ),
        (
            {DEFAULT: "rescue", RESCUED: "a.b"},
            f"Invalid value a.b for configuration {RESCUED}: The name of one column, without dots",
        ),
        ({DEFAULT: "rescue", RESCUED: ""}, "The name of one column, without dots"),
        ({RESCUED: "others"}, f"Key {RESCUED} has no effect: no policy is rescue."),
        (
            {**CREATING, DEFAULT: "rescue", "frazil.tables.type._rescued_data": "long"},
            "type._rescued_data: _rescued_data keeps rescued values as a string.",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(keys: dict[str, str], sentence: str) -> None:
    assert sentence in objections(keys)


@pytest.mark.parametrize(
    "keys",
    [
        {f"{DEFAULT}.x": "rescue", f"{DEFAULT}.x.y": "cast"},
        {"iceberg.table.a.conflict.x": "rescue", RESCUED: "others"},
        {**CREATING, DEFAULT: "rescue", "frazil.tables.type._rescued_data": "string"},
        {**KEEPING, DEFAULT: "null"},
        {"errors.deadletterqueue.topic.name": "dead", DEFAULT: "null"},
        {"iceberg.table.a.evolve-schema-enabled": "true", "frazil.tables.type.x": "long"},
    ],
)
def test_what_makes_sense_is_taken(keys: dict[str, str]) -> None:
    assert objections(keys) == ""


def test_the_type_of_a_column_is_no_secret_whatever_its_name() -> None:
    keys = CREATING | {
        "frazil.tables.type.token": "long",
        "iceberg.table.a.conflict.password": "fail",
    }
    found = PLUGIN.validate(changed({**TABLES, **keys})).configs
    shown = {one.value.name: one.value.value for one in found}
    assert {name: shown[name] for name in keys} == keys
