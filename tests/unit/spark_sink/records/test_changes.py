"""What records do to the rows of their keys."""

from typing import Any

import pytest
from tests.support.plain_records import record_of
from tests.support.sink_configs import PLUGIN, changed

from frazil.spark_sink.records.changes import ChangeRules, Operation, operation_of, rules_of

DELETE, UPSERT = Operation.DELETE, Operation.UPSERT


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("D", DELETE),
        ("d", DELETE),
        (" delete", DELETE),
        ("DELETE", DELETE),
        ("u", UPSERT),
        ("I", UPSERT),
        ("c", UPSERT),
        ("r", UPSERT),
        ("update", UPSERT),
        ("", UPSERT),
        (None, UPSERT),
        (True, UPSERT),
        ({"d": 1}, UPSERT),
    ],
)
def test_an_operation_deletes_by_its_first_letter(operation: Any, expected: Operation) -> None:
    change = operation_of(ChangeRules(operation=("_cdc", "op")))
    assert change(record_of({"id": 1, "_cdc": {"op": operation}})) is expected


@pytest.mark.parametrize("value", [{"id": 1}, {"_cdc": None}, {"_cdc": "d"}, "d", None])
def test_a_record_that_names_no_operation_upserts(value: Any) -> None:
    change = operation_of(ChangeRules(operation=("_cdc", "op")))
    assert change(record_of(value)) is UPSERT


def test_without_an_operation_each_record_upserts() -> None:
    assert operation_of(ChangeRules())(record_of({"op": "d"})) is UPSERT


def test_rules_are_read_from_the_configuration() -> None:
    config = {
        "iceberg.tables.cdc-field": "_cdc.op",
        "frazil.tables.sequence-field": "_cdc.ts",
        "frazil.tables.unavailable-value": "same",
    }
    rules = rules_of(PLUGIN.parse(changed({**config})), keys=("id",))
    assert rules == ChangeRules(("id",), ("_cdc", "op"), ("_cdc", "ts"), "same")


def test_records_that_are_rows_of_their_own_have_no_rules() -> None:
    assert rules_of(PLUGIN.parse(changed({}))) is None
