"""Keys that give columns new names: read for a table, and refused where they make no sense."""

import pytest
from tests.support.sink_configs import PLUGIN, changed, complaints

from frazil.contracts.columns import ColumnRules, ColumnType, Policy
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.rename_keys import column_names

TABLES = {"iceberg.tables": "lake.a,lake.b"}
ALL = "frazil.tables.rename"
OF_A = "iceberg.table.a.rename"


def parsed(keys: dict[str, str]) -> ParsedConfig:
    return PLUGIN.parse(changed({**TABLES, **keys}))


def objections(keys: dict[str, str]) -> str:
    found = complaints(changed({**TABLES, **keys}))
    return "\n".join(sentence for sentences in found.values() for sentence in sentences)


def test_a_table_has_its_own_keys_over_those_of_all() -> None:
    config = parsed(
        {f"{ALL}.x": "all", f"{OF_A}.x": "bare", "iceberg.table.lake.a.rename.x": "own"}
        | {f"{ALL}.who.age": "years", f"{OF_A}.who": "person"}
    )
    assert column_names(config, "lake.a").now(("x",)) == ("own",)
    assert column_names(config, "lake.a").now(("who", "age")) == ("person", "years")
    assert column_names(config, "lake.b").now(("x",)) == ("all",)
    assert column_names(config, "lake.b").now(("who", "age")) == ("who", "years")


def test_without_keys_there_are_no_names() -> None:
    assert not column_names(parsed({}), "lake.a")


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({f"{OF_A}.x..y": "z"}, "x..y is no path of a column"),
        ({f"{OF_A}.x": "a.b"}, f"{OF_A}.x: a.b is no name of a column. Give one without a dot"),
        ({f"{OF_A}.x": ""}, "nothing is no name of a column"),
        ({f"{OF_A}.x": "x"}, f"{OF_A}.x: x or x is in another rename too, or both are the same"),
        ({f"{OF_A}.x": "z", f"{OF_A}.y": "z"}, f"{OF_A}.y: y or z is in another rename too"),
        ({f"{OF_A}.x": "y", f"{OF_A}.y": "z"}, "Give each column its last name at once"),
        ({f"{OF_A}.x": "y", f"{OF_A}.y": "x"}, "y or x is in another rename too"),
        ({f"{ALL}.x": "y", f"{OF_A}.z": "y"}, f"{ALL}.x: x or y is in another rename too"),
        (
            {f"{OF_A}.w": "v", f"{OF_A}.w.x": "y", f"{OF_A}.v.x": "z"},
            f"{OF_A}.v.x: x or z is in another rename too",
        ),
        (
            {f"{OF_A}.x": "X", "iceberg.tables.schema-case-insensitive": "true"},
            f"{OF_A}.x: x or X is in another",
        ),
        ({"iceberg.table.z.rename.x": "y"}, "has no effect: z is not in iceberg.tables"),
        ({"frazil.tables.renames.x": "y"}, "Did you mean frazil.tables.rename"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(keys: dict[str, str], sentence: str) -> None:
    assert sentence in objections(keys)


@pytest.mark.parametrize(
    "keys",
    [
        {f"{OF_A}.x": "X"},
        {f"{OF_A}.x": "y", "iceberg.table.b.rename.z": "y"},
        {f"{OF_A}.v.x": "y", f"{OF_A}.w.x": "y", f"{OF_A}.x": "z"},
        {f"{OF_A}.x": "y", "frazil.tables.schema-changes": "ask"},
        {f"{ALL}.x": "y", f"{OF_A}.x": "z"},
    ],
)
def test_what_makes_sense_is_taken(keys: dict[str, str]) -> None:
    assert objections(keys) == ""


def test_the_name_of_a_column_is_no_secret_whatever_it_is() -> None:
    keys = {f"{OF_A}.token": "password"}
    found = PLUGIN.validate(changed({**TABLES, **keys})).configs
    shown = {one.value.name: one.value.value for one in found}
    assert {name: shown[name] for name in keys} == keys


def test_what_is_said_of_a_column_holds_under_its_new_name() -> None:
    names = column_names(parsed({f"{OF_A}.x": "y", f"{OF_A}.w": "v"}), "lake.a")
    rules = ColumnRules(
        policies={("x",): Policy.RAW, ("w", "n"): Policy.NULL, ("v", "n"): Policy.FAIL},
        types={("x",): ColumnType("long")},
    ).renamed(names.now)
    assert (rules.policy(("y",)), rules.type(("y",))) == (Policy.RAW, ColumnType("long"))
    assert (rules.policy(("v", "n")), rules.policy(("x",))) == (Policy.FAIL, Policy.CAST)
