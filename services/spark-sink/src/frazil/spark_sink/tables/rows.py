"""Records to rows of one table: fields to columns, and why a record cannot be a row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from frazil.spark_sink.counts import DROPPED
from frazil.spark_sink.raw import letters_of
from frazil.spark_sink.records.apart import together
from frazil.spark_sink.records.json_values import is_broken, json_column, json_text
from frazil.spark_sink.records.paths import Path, struct_of
from frazil.spark_sink.records.reader import Records
from frazil.spark_sink.tables.changes import DELETES, ChangeRules
from frazil.spark_sink.tables.convert import member

MISFIT = "misfit"
_COUNTED = ("topic", "partition", "offset", "timestamp", DROPPED)
_AGAIN = "again"
_ROW = "row"


@dataclass(frozen=True, eq=False)
class Rows:
    """A frame of records, the columns that make rows of them, and the fault of each, or null.

    `reason` is the class of that fault, `misfit` tells where JSON was not what was wanted, and
    `deletes` where a record deletes the row of its key; None where records are not changes.
    """

    frame: DataFrame
    columns: Mapping[str, Column]
    fault: Column
    reason: Column
    misfit: Column
    deletes: Column | None = None

    @property
    def made(self) -> DataFrame:
        """Compute each column and fault once, whoever asks for it later.

        Columns have numbers here, for a table's may be named like those beside them.
        """
        columns = enumerate(self.columns.values())
        deletes = [] if self.deletes is None else [self.deletes.alias(DELETES)]
        return self.frame.select(
            *_COUNTED,
            *deletes,
            self.misfit.alias(MISFIT),
            self.fault.alias("fault"),
            *(column.alias(str(number)) for number, column in columns),
        )


def good(made: DataFrame, schema: StructType, *beside: Column) -> DataFrame:
    """Return what records without a fault became, as the table names it, and columns beside."""
    names = enumerate(schema.names)
    return made.where(~fn.col(DROPPED) & fn.col("fault").isNull()).select(
        *(fn.col(str(number)).alias(name) for number, name in names), *beside
    )


def letters(rows: Iterable[Rows]) -> DataFrame:
    return together(letters_of(one.frame, one.reason, one.fault) for one in rows)


@dataclass(frozen=True, eq=False)
class _Projection:
    """`faults` are by column; that of a value without fields has no name."""

    columns: dict[str, Column]
    faults: dict[str, Column]

    def fault(self, of: Sequence[str] | None = None) -> Column:
        """Return the first fault, be it of some columns only."""
        asked = [fault for name, fault in self.faults.items() if of is None or name in ("", *of)]
        return fn.coalesce(fn.lit(None).cast("string"), *asked)


def wanted(schema: StructType, path: Path = ()) -> StructType:
    """Return the type to parse JSON with, for a table of this schema, and one more field.

    Spark would take numbers for seconds in a timestamp, so these are read as text.
    """
    made = _changed(schema, lambda kind: isinstance(kind, TimestampType | TimestampNTZType))
    return _with_field(made, path)


def _with_field(kind: StructType, path: Path) -> StructType:
    if not path:
        return kind
    name, rest = path[0], path[1:]
    if name not in kind.names:
        return StructType([*kind.fields, *struct_of([path]).fields])
    held = kind[name].dataType
    inner = _with_field(held, rest) if isinstance(held, StructType) else held
    return StructType(
        [StructField(f.name, inner if f.name == name else f.dataType) for f in kind.fields]
    )


def as_text(schema: StructType, path: Path = ()) -> StructType:
    """Return the type to parse JSON with where a value was not of the column's type."""
    made = _changed(schema, lambda kind: not isinstance(kind, VariantType))
    return _with_field(made, path)


def rows_of(
    records: Records,
    schema: StructType,
    *,
    ignore_case: bool,
    again: bool,
    changes: ChangeRules | None = None,
) -> Rows:
    """Fit records to a table. With `again` JSON that was not as wanted is parsed as text."""
    frame = records.frame
    first = _projection(fn.col("value"), records.value_type, schema, ignore_case=ignore_case)
    rules = changes or ChangeRules()
    deletes = rules.deletes(fn.col("value"), records.value_type)
    fault = fn.coalesce(fn.col("fault").getField("text"), _fault(first, deletes, rules))
    reason = fn.coalesce(fn.col("fault").getField("class"), fn.lit(_ROW))
    misfit = fn.col("fault").isNotNull() & records.as_wanted
    if not (again and records.as_wanted):
        fault = fn.when(~fn.col(DROPPED), fault)
        return Rows(frame, first.columns, fault, reason, misfit, deletes if changes else None)
    text = as_text(schema, rules.operation)
    parsed = json_column(json_text(fn.col("raw_value")), text)
    frame = frame.select("*", fn.when(fn.col("fault").isNotNull(), parsed).alias(_AGAIN))
    second = _projection(fn.col(_AGAIN), text, schema, ignore_case=ignore_case)
    deletes = deletes | rules.deletes(fn.col(_AGAIN), text)
    fits = ~is_broken(fn.col(_AGAIN))
    columns = {
        name: fn.when(fits, second.columns[name]).otherwise(column)
        for name, column in first.columns.items()
    }
    fault = fn.when(fits, _fault(second, deletes, rules)).otherwise(fault)
    reason = fn.when(fits, _ROW).otherwise(reason)
    return Rows(
        frame,
        columns,
        fn.when(~fn.col(DROPPED), fault),
        reason,
        misfit,
        deletes if changes else None,
    )


def _fault(made: _Projection, deletes: Column, rules: ChangeRules) -> Column:
    """Say why a record is no row; of one that deletes a row no more is needed than its key."""
    if not rules.operation:
        return made.fault()
    return fn.when(deletes, made.fault(rules.keys)).otherwise(made.fault())


def _changed(kind: StructType, is_text: Callable[[DataType], bool]) -> StructType:
    """Read some leaves as text; nothing has to be there, for what is missing is a fault."""
    return StructType([StructField(f.name, _read_as(f.dataType, is_text)) for f in kind.fields])


def _read_as(kind: DataType, is_text: Callable[[DataType], bool]) -> DataType:
    if isinstance(kind, StructType):
        return _changed(kind, is_text)
    if isinstance(kind, ArrayType):
        return ArrayType(_read_as(kind.elementType, is_text))
    if isinstance(kind, MapType):
        return MapType(StringType(), _read_as(kind.valueType, is_text))
    return StringType() if is_text(kind) else kind


def _projection(
    record: Column, kind: DataType, schema: StructType, *, ignore_case: bool
) -> _Projection:
    """Take each column of the table from the field of its name."""
    if not isinstance(kind, StructType):
        return _Projection(
            {field.name: fn.lit(None).cast(field.dataType) for field in schema.fields},
            {"": fn.lit("its value has no fields")},
        )
    names = {name.lower(): name for name in kind.names} if ignore_case else {}
    columns: dict[str, Column] = {}
    faults: dict[str, Column] = {}
    for field in schema.fields:
        name = field.name if field.name in kind.names else names.get(field.name.lower())
        found = None
        if name is not None:
            held, column = kind[name].dataType, record.getField(name)
            named = renamed(held, field.dataType) if ignore_case else held
            found = (column if named == held else column.cast(named), named)
        made = member(found, field)
        columns[field.name] = made.column
        if made.failed is not None:
            faults[field.name] = fn.when(made.failed, fn.lit(_sentence(field)))
    return _Projection(columns, faults)


def renamed(kind: DataType, column: DataType) -> DataType:
    """Spell the names inside of a type as a column does, where only the case differs."""
    if isinstance(kind, StructType) and isinstance(column, StructType):
        columns = {field.name.lower(): field for field in column.fields}
        return StructType([_renamed_field(field, columns) for field in kind.fields])
    if isinstance(kind, ArrayType) and isinstance(column, ArrayType):
        return ArrayType(renamed(kind.elementType, column.elementType), kind.containsNull)
    if isinstance(kind, MapType) and isinstance(column, MapType):
        value = renamed(kind.valueType, column.valueType)
        return MapType(kind.keyType, value, kind.valueContainsNull)
    return kind


def _renamed_field(field: StructField, columns: Mapping[str, StructField]) -> StructField:
    column = columns.get(field.name.lower())
    if column is None:
        return field
    return StructField(column.name, renamed(field.dataType, column.dataType), field.nullable)


def _sentence(field: StructField) -> str:
    if field.nullable:
        return f"column {field.name} ({field.dataType.simpleString()}) cannot hold its value"
    return f"required column {field.name} has no value"
