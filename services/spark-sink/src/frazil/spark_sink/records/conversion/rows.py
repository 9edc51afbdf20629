"""Turn records into rows of a table, by functions compiled from its schema."""

from collections.abc import Callable, Sequence
from typing import Any

from frazil.spark_sink.records.conversion.compiler import Compiler
from frazil.spark_sink.records.conversion.nulling import Nulled, NulledRow, rescued_json
from frazil.spark_sink.records.conversion.rules import ConversionRules, Unfit
from frazil.spark_sink.records.errors import MisfitError
from frazil.spark_sink.records.model import Schema
from frazil.spark_sink.records.schema.types import Struct

RowConverter = Callable[[Any, Schema | None], tuple[Any, ...]]
_Finish = Callable[[tuple[Any, ...], Sequence[Nulled]], tuple[Any, ...]]


def row_converter(schema: Struct, rules: ConversionRules) -> RowConverter:
    """Return a function of a record's value and its schema; it raises MisfitError.

    A row has the columns' order. It is a NulledRow where a policy put null for a value. A converter
    serves one thread at a time.
    """
    nulled: list[Nulled] = []
    convert = Compiler(rules, nulled).struct(schema, ())
    finish = _finish(schema, rules)

    def row(value: Any, value_schema: Schema | None = None) -> tuple[Any, ...]:
        try:
            values: tuple[Any, ...] = convert(value, value_schema)
            return finish(values, nulled) if nulled else values
        except Unfit as error:
            raise MisfitError((), f"a record that is {error} cannot be a row") from None
        finally:
            nulled.clear()

    return row


def _finish(schema: Struct, rules: ConversionRules) -> _Finish:
    """Keep what is rescued in its column, and report what else was nulled."""
    names = [column.name for column in schema.columns]
    if rules.rescued not in names:
        return NulledRow
    at = names.index(rules.rescued)

    def rescue(values: tuple[Any, ...], nulled: Sequence[Nulled]) -> tuple[Any, ...]:
        kept = [value for value in nulled if value.is_rescued]
        lost = [value for value in nulled if not value.is_rescued]
        text = rescued_json(kept) if kept else None
        row = (*values[:at], text, *values[at + 1 :])
        return NulledRow(row, lost) if lost else row

    return rescue
