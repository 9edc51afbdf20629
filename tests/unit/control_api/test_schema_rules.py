"""What is said of changes of a table: of those that were shown, and until it is forgotten."""

from collections.abc import Mapping

import pytest
from tests.support.sink_configs import PLUGIN, changed

from frazil.contracts.schema_change import ChangeKind, SchemaChange, SchemaRules
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import NotFoundError, NotShownError
from frazil.control_api.core.schema_rules import (
    Decide,
    approve,
    chosen,
    forget,
    refuse,
    with_rules,
)

A = SchemaChange(kind=ChangeKind.ADD, path="a", type="string")
B = SchemaChange(kind=ChangeKind.WIDEN, path="b", type="bigint")
TABLE = "streaming.apilogs"


def ruled(decide: Decide, rules: Mapping[str, SchemaRules], table: str = TABLE) -> Connector:
    given = {key: value for key, value in changed({}).items() if value is not None}
    connector = Connector("c", given, schema_rules=rules)
    return with_rules(connector, PLUGIN.read(connector.config), table, decide)


def test_all_that_is_shown_is_meant_unless_some_are_named() -> None:
    assert chosen([A, B], None, "t") == (A, B)
    assert chosen([A, B], [B], "t") == (B,)


@pytest.mark.parametrize(("shown", "named"), [([A], [B]), ([A], [A, B]), ([], None), ([], [])])
def test_what_was_not_shown_is_not_decided_on(
    shown: list[SchemaChange], named: list[SchemaChange] | None
) -> None:
    with pytest.raises(NotShownError, match="Table t does not wait for"):
        chosen(shown, named, "t")


def test_a_decision_is_for_a_new_worker_and_taken_once() -> None:
    after = ruled(approve([A]), {})
    assert (after.schema_rules, after.generation) == ({TABLE: SchemaRules(approved=(A,))}, 2)
    assert ruled(approve([A]), after.schema_rules).generation == 1


def test_the_last_word_on_a_path_counts() -> None:
    refused = ruled(refuse([A, B]), {TABLE: SchemaRules(approved=(A,))}).schema_rules
    assert refused == {TABLE: SchemaRules(refused=("a", "b"))}
    approved = ruled(approve([A]), refused).schema_rules
    assert approved == {TABLE: SchemaRules(approved=(A,), refused=("b",))}


def test_what_is_forgotten_is_asked_again() -> None:
    rules = {TABLE: SchemaRules(refused=("a",)), "of.before": SchemaRules(refused=("b",))}
    after = ruled(forget, rules)
    assert (list(after.schema_rules), after.generation) == (["of.before"], 2)


def test_a_table_that_is_not_listed_is_not_known() -> None:
    with pytest.raises(NotFoundError, match="has no table ns"):
        ruled(forget, {}, table="ns.other")
