"""Rows of changes: a table's columns, and beside them where a change comes from."""

from collections.abc import Collection
from typing import Any

from frazil.spark_sink.records.changes import ChangeRules, Operation, operation_of
from frazil.spark_sink.records.conversion import ConversionRules, row_converter
from frazil.spark_sink.records.errors import MisfitError
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.records.schema.types import Struct
from frazil.spark_sink.tasks.scratch import numbered

CHANGE = "frazil_change"
DELETES = "deletes"

CHANGE_COLUMN = numbered(
    CHANGE,
    [
        ("topic", "string"),
        ("partition", "int"),
        ("offset", "long"),
        ("timestamp", "timestamptz"),
        (DELETES, "boolean"),
    ],
)
"""Where a change comes from, beside the columns of its table."""


class ChangeRows:
    """Makes the rows of changes of one table."""

    def __init__(self, schema: Struct, rules: ChangeRules, conversion: ConversionRules) -> None:
        self._operation = operation_of(rules)
        self._width = len(schema.columns)
        self._keys = _Columns(schema, rules.keys, conversion)
        self._ordered_keys = _Columns(schema, (*rules.keys, *rules.sequence[:1]), conversion)

    def change_of(self, record: Record) -> tuple[Any, ...]:
        """Say where a change comes from, and whether it deletes its row."""
        source = record.source
        micros = None if source.timestamp is None else source.timestamp * 1000
        deletes = self._operation(record) is Operation.DELETE
        return source.topic, source.partition, source.offset, micros, deletes

    def deletion(self, record: Record) -> tuple[Any, ...]:
        """Make the row of a deletion: its key has to fit, what orders changes may be missing."""
        try:
            return self._ordered_keys.row(record, self._width)
        except MisfitError:
            return self._keys.row(record, self._width)


class _Columns:
    """Some columns of a table."""

    def __init__(self, schema: Struct, names: Collection[str], conversion: ConversionRules) -> None:
        self._positions = [at for at, one in enumerate(schema.columns) if one.name in names]
        columns = tuple(schema.columns[at] for at in self._positions)
        self._convert = row_converter(Struct(columns), conversion)

    def row(self, record: Record, width: int) -> tuple[Any, ...]:
        """Make a row in which all others are null."""
        row: list[Any] = [None] * width
        values = self._convert(record.value, record.value_schema)
        for at, value in zip(self._positions, values, strict=True):
            row[at] = value
        return tuple(row)
