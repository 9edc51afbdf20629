"""Which columns a record asks a table for: that depends on the record and the table alone."""

from collections.abc import Callable
from typing import Any

from frazil.spark_sink.records.model import SELECTED, Kind, Schema
from frazil.spark_sink.records.schema.changes import SchemaChange
from frazil.spark_sink.records.schema.declared import declared_struct
from frazil.spark_sink.records.schema.difference import Comparison
from frazil.spark_sink.records.schema.inference import infer_columns, says_nothing
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.records.schema.types import Column, List, Map, Struct, Type
from frazil.spark_sink.records.schema.unify import STRING, fold_columns

Asking = Callable[[Any, Schema | None], list[SchemaChange]]
_Covers = Callable[[Any], bool]


def asked(
    value: Any, schema: Schema | None, table: Struct, rules: EvolutionRules
) -> list[SchemaChange]:
    """List the changes that let a table hold a record."""
    return asking(table, rules)(value, schema)


def asking(table: Struct, rules: EvolutionRules) -> Asking:
    """Compile what records ask of a table, for many records that ask for nothing."""
    covers = _covering(table, rules.ignore_case)
    nothing_missing = not rules.rescued or table.column(rules.rescued) is not None
    undeclared = Comparison(creating=rules.creating, ignore_case=rules.ignore_case)
    declared = Comparison(True, rules.creating, rules.ignore_case)
    last: tuple[Schema | None, list[SchemaChange]] = (None, [])

    def ask(value: Any, schema: Schema | None = None) -> list[SchemaChange]:
        nonlocal last
        if type(value) is not dict:
            return []
        if schema is None or schema.kind is not Kind.STRUCT:
            if nothing_missing and covers(value):
                return []
            wanted = infer_columns(value, rules.columns)
            return undeclared.changes(_wanted(wanted, table, rules), table)
        if schema is not last[0]:
            wanted = _wanted(declared_struct(schema, rules), table, rules)
            comparison = undeclared if schema.name == SELECTED else declared
            last = schema, comparison.changes(wanted, table)
        return last[1]

    return ask


def _wanted(columns: Struct, table: Struct, rules: EvolutionRules) -> Struct:
    """Add the rescued column, which is no record's own; a table of it alone is none."""
    if rules.ignore_case:
        columns = fold_columns(columns)
    if not rules.rescued or not (columns.columns or table.columns):
        return columns
    others = tuple(column for column in columns.columns if column.name != rules.rescued)
    return Struct((*others, Column(rules.rescued, STRING)))


def _covering(kind: Struct, ignore_case: bool) -> _Covers:
    """Return a quick check whether a struct has no field without a column."""
    columns = {
        column.name.lower() if ignore_case else column.name: column for column in kind.columns
    }
    names = columns.keys()
    inside = [
        (name, check)
        for name, column in columns.items()
        if (check := _covering_inside(column.type, ignore_case))
    ]

    def covers(value: Any) -> bool:
        if type(value) is not dict:
            return True
        if ignore_case:
            value = {str(key).lower(): item for key, item in value.items() if item is not None}
        if not value.keys() <= names and not all(
            says_nothing(value[key]) for key in value.keys() - names
        ):
            return False
        for name, check in inside:
            item = value.get(name)
            if item is not None and not check(item):
                return False
        return True

    return covers


def _covering_inside(kind: Type, ignore_case: bool) -> _Covers | None:
    """Return the check of what a column holds, or None where nothing can be missing."""
    if isinstance(kind, Struct):
        return _covering(kind, ignore_case)
    if isinstance(kind, List):
        element = _covering_inside(kind.element, ignore_case)
        return element and (lambda value: type(value) is not list or all(map(element, value)))
    inner = _covering_inside(kind.value, ignore_case) if isinstance(kind, Map) else None
    return inner and (lambda value: type(value) is not dict or all(map(inner, value.values())))
