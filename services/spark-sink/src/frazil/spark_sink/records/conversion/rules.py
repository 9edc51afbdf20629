"""What is configured for conversion, and how a value says that it does not fit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from frazil.contracts.columns import ColumnRules
from frazil.spark_sink.records.model import Schema

Leaf = Callable[[Any], Any]
"""Converts a single value that is not None."""

Nested = Callable[[Any, Schema | None], Any]
"""Converts a value that is not None, and looks at the schema beside it."""


@dataclass(frozen=True, slots=True)
class ConversionRules:
    """How values become columns; `rescued` names the column that keeps what policy `null` nulls."""

    ignore_case: bool = False
    columns: ColumnRules = field(default_factory=ColumnRules)
    rescued: str | None = None


class Unfit(Exception):  # noqa: N818 (a signal inside this package, never seen outside of it)
    """A column cannot hold a value; the text says what the value is.

    Who knows the column's path turns it into a MisfitError, or into null.
    """


BEYOND_RANGE = "a number beyond its range"
FRACTION = "a number with a fraction"
NOT_FINITE = "a number that is not finite"
NOT_A_NUMBER = "text that is not a number"

_NAMES: dict[type, str] = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    Decimal: "a decimal",
    str: "text",
    bytes: "bytes",
    list: "a list",
    dict: "a struct",
    date: "a date",
    time: "a time",
    datetime: "a timestamp",
}


def unfit(value: Any) -> Unfit:
    """Say of what type a value is that has no place in a column."""
    return Unfit(_NAMES.get(type(value), type(value).__name__))
