"""Who decides on changes of tables: for all of them, and for each."""

import pytest
from tests.support.sink_configs import PLUGIN, changed, complaints

from frazil.contracts.plugins.schema_keys import asks, asks_anywhere

ALL = "frazil.tables.schema-changes"
OWN = "iceberg.table.apilogs.schema-changes"
AUTO = {"iceberg.tables.auto-create-enabled": "true"}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, (False, False)),
        ({ALL: "ask"}, (True, True)),
        ({OWN: "ask"}, (True, True)),
        ({ALL: "ask", OWN: "apply"}, (False, True)),
    ],
)
def test_a_table_may_differ_from_all(keys: dict[str, str], expected: tuple[bool, bool]) -> None:
    config = PLUGIN.read({k: text for k, text in changed({**AUTO, **keys}).items() if text})
    assert (asks(config, "streaming.apilogs"), asks_anywhere(config)) == expected


@pytest.mark.parametrize("key", [ALL, OWN])
def test_only_the_two_words_are_taken(key: str) -> None:
    (said,) = complaints(changed({**AUTO, key: "maybe"}))[key]
    assert "apply" in said
    assert "ask" in said


@pytest.mark.parametrize("key", [ALL, OWN])
def test_asking_before_nothing_has_no_effect(key: str) -> None:
    (said,) = complaints(changed({key: "ask"}))[key]
    assert said.startswith(f"Key {key} has no effect: no table is created or changed.")
    evolving = {"iceberg.table.apilogs.evolve-schema-enabled": "true"}
    assert key not in complaints(changed({key: "ask", **evolving}))
    assert key not in complaints(changed({key: "apply"}))


def test_partitions_evolve_only_where_some_are_wanted() -> None:
    key = "frazil.tables.partition-evolution"
    (said,) = complaints(changed({key: "apply"}))[key]
    assert said.startswith(f"Key {key} has no effect: no table is to be partitioned.")
    for wanted in ("iceberg.tables.default-partition-by", "iceberg.table.apilogs.partition-by"):
        assert key not in complaints(changed({key: "apply", wanted: "name"}))
    assert key not in complaints(changed({key: "ignore"}))
