"""Types of columns for values without a schema. Null, {} and [] say nothing about a type."""

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from functools import reduce
from typing import Any

from frazil.contracts.columns import ColumnRules
from frazil.spark_sink.records.schema.types import Column, List, Path, Primitive, Struct, Type
from frazil.spark_sink.records.schema.unify import (
    DOUBLE,
    LONG,
    MOST_DIGITS,
    STRING,
    UNKNOWN,
    typed_columns,
    unify,
)

_TYPES: Mapping[type, Primitive] = {
    type(None): UNKNOWN,
    str: STRING,
    bool: Primitive("boolean"),
    float: DOUBLE,
    bytes: Primitive("binary"),
    date: Primitive("date"),
    time: Primitive("time"),
    datetime: Primitive("timestamptz"),
}
# What is nested deeper is text: Arrow opens no file of more than 100 levels, and a list or a map is
# two of them.
DEEPEST = 48
_DOUBLE_DIGITS = 308


def infer_columns(value: Mapping[Any, Any], rules: ColumnRules) -> Struct:
    """Infer the columns of a record, in the order of its fields; all are optional."""
    return typed_columns(_struct(value, rules, ()))


def infer_type(value: Any, rules: ColumnRules) -> Type:
    """Infer the type of one value, in which what says nothing is of the type of null."""
    return _infer(value, rules, ())


def says_nothing(value: Any) -> bool:
    """Say whether a value leaves open what the type of its column is."""
    return value is None or value == {} or value == []


def override_type(rules: ColumnRules, path: Path) -> Primitive | None:
    """Return the type that is configured for a column."""
    kind = rules.type(path) if rules.types else None
    return Primitive(kind.name, kind.precision, kind.scale) if kind else None


def _struct(value: Mapping[Any, Any], rules: ColumnRules, path: Path) -> Struct:
    names = ((str(key), item) for key, item in value.items())
    return Struct(tuple(Column(name, _infer(item, rules, (*path, name))) for name, item in names))


def _infer(value: Any, rules: ColumnRules, path: Path) -> Type:
    kind = type(value)
    override = override_type(rules, path)
    if override is not None and not says_nothing(value):
        return override
    if kind is dict or kind is list:
        return _structure(value, rules, path) if len(path) < DEEPEST else STRING
    if kind is int:
        return _integer(value)
    return _decimal(value) if kind is Decimal else _TYPES.get(kind, STRING)


def _structure(value: Any, rules: ColumnRules, path: Path) -> Type:
    """Infer a struct, or a list of what holds all of its elements."""
    if isinstance(value, dict):
        return _struct(value, rules, path)
    inner = (*path, "element")
    unknown: Type = UNKNOWN
    return List(reduce(unify, dict.fromkeys(_infer(item, rules, inner) for item in value), unknown))


def _integer(value: int) -> Primitive:
    if -(2**63) <= value < 2**63:
        return LONG
    if abs(value) < 10**MOST_DIGITS:
        return Primitive("decimal", MOST_DIGITS, 0)
    return DOUBLE if abs(value) < 10**_DOUBLE_DIGITS else STRING


def _decimal(value: Decimal) -> Primitive:
    """Count the digits as SQL does: 0.001 has three, 1E+2 too."""
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        return DOUBLE
    scale = max(0, -exponent)
    precision = max(value.adjusted() + 1 + scale, scale, 1)
    return Primitive("decimal", precision, scale) if precision <= MOST_DIGITS else UNKNOWN
