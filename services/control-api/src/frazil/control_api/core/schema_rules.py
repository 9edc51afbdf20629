"""What a user has said of changes that tables wait for; the next worker goes by it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.schema_change import SchemaChange, SchemaRules
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import NotShownError
from frazil.control_api.core.paused_tables import require_table

Decide = Callable[[SchemaRules], SchemaRules]


def chosen(
    shown: Sequence[SchemaChange], named: Sequence[SchemaChange] | None, table: str
) -> tuple[SchemaChange, ...]:
    """Return the changes that a user means: those named, each of which was shown, or all."""
    strange = [str(change) for change in named or () if change not in shown]
    if strange or not shown:
        what = f"for this: {strange[0]}" if strange else "for an approval"
        raise NotShownError(f"Table {table} does not wait {what}. Look at what it waits for.")
    return tuple(shown if named is None else named)


def approve(changes: Sequence[SchemaChange]) -> Decide:
    def decide(rules: SchemaRules) -> SchemaRules:
        approved = dict.fromkeys([*rules.approved, *changes])
        paths = {change.path for change in changes}
        refused = tuple(path for path in rules.refused if path not in paths)
        return rules.model_copy(update={"approved": tuple(approved), "refused": refused})

    return decide


def refuse(changes: Sequence[SchemaChange]) -> Decide:
    def decide(rules: SchemaRules) -> SchemaRules:
        refused = dict.fromkeys([*rules.refused, *(change.path for change in changes)])
        approved = tuple(change for change in rules.approved if change.path not in refused)
        return rules.model_copy(update={"approved": approved, "refused": tuple(refused)})

    return decide


def forget(_rules: SchemaRules) -> SchemaRules:
    return SchemaRules()


def with_rules(connector: Connector, config: ParsedConfig, table: str, decide: Decide) -> Connector:
    """Return the connector with other rules for a table; they need a new worker if they differ."""
    require_table(connector, config, table)
    before = connector.schema_rules.get(table, SchemaRules())
    after = decide(before)
    if after == before:
        return connector
    others = {name: rules for name, rules in connector.schema_rules.items() if name != table}
    rules = others if after == SchemaRules() else {**others, table: after}
    return replace(connector, schema_rules=rules, generation=connector.generation + 1)
