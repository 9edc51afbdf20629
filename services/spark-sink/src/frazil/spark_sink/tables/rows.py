"""Records to rows of one table: fields to columns, and why a record cannot be a row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StructField, StructType

from frazil.contracts.columns import ColumnRules, Path
from frazil.spark_sink.counts import DROPPED
from frazil.spark_sink.expressions.apart import together
from frazil.spark_sink.expressions.json_values import is_broken, json_column, json_text
from frazil.spark_sink.expressions.reader import Records
from frazil.spark_sink.raw import NULLED, letters_of
from frazil.spark_sink.records.changes import ChangeRules
from frazil.spark_sink.tables.changes import deletes as deletes_row
from frazil.spark_sink.tables.conflicts import Conflict, Spot, Told, either, told_of
from frazil.spark_sink.tables.convert import field_of, members
from frazil.spark_sink.tables.naming import grouped, name_key
from frazil.spark_sink.tables.reading import as_text
from frazil.spark_sink.tasks.changes import DELETES

MISFIT = "misfit"
_COUNTED = ("topic", "partition", "offset", "timestamp", DROPPED)
_AGAIN = "again"
_ROW = "row"
_PLAIN = ColumnRules()


@dataclass(frozen=True, eq=False)
class Rows:
    """A frame of records, the columns that make rows of them, and the fault of each, or null.

    `reason` is the class of that fault, `misfit` tells where JSON was not what was wanted, and
    `deletes` where a record deletes the row of its key; None where records are not changes. `told`
    is what the rules of columns have to tell of records, if there are any.
    """

    frame: DataFrame
    columns: Mapping[str, Column]
    fault: Column
    reason: Column
    misfit: Column
    deletes: Column | None = None
    told: Told = field(default_factory=Told)

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
            *self.told.columns,
            *(column.alias(str(number)) for number, column in columns),
        )


def good(made: DataFrame, schema: StructType, *beside: Column) -> DataFrame:
    """Return what records without a fault became, as the table names it, and columns beside."""
    names = enumerate(schema.names)
    return made.where(~fn.col(DROPPED) & fn.col("fault").isNull()).select(
        *(fn.col(str(number)).alias(name) for number, name in names), *beside
    )


def letters(rows: Iterable[Rows]) -> DataFrame:
    """Take out the records that are no rows, and those whose rows lack a value of theirs."""
    return together(letters_of(one.frame, *_why(one)) for one in rows)


def _why(one: Rows) -> tuple[Column, Column]:
    if one.told.nulled is None:
        return one.reason, one.fault
    reason = fn.when(one.fault.isNotNull(), one.reason).otherwise(NULLED)
    return reason, fn.coalesce(one.fault, one.told.nulled)


@dataclass(frozen=True, eq=False)
class _Projection:
    """`faults` are by column; that of a value without fields has no name."""

    columns: dict[str, Column]
    faults: dict[str, Column]
    conflicts: Mapping[Path, Conflict] = field(default_factory=dict)

    def fault(self, of: Sequence[str] | None = None) -> Column:
        """Return the first fault, be it of some columns only."""
        asked = [fault for name, fault in self.faults.items() if of is None or name in ("", *of)]
        return fn.coalesce(fn.lit(None).cast("string"), *asked)


def rows_of(
    records: Records,
    schema: StructType,
    *,
    ignore_case: bool,
    again: bool,
    changes: ChangeRules | None = None,
    columns: ColumnRules = _PLAIN,
) -> Rows:
    """Fit records to a table. With `again` JSON that was not as wanted is parsed as text."""
    rules = changes or ChangeRules()
    project = partial(_projection, schema=schema, at=Spot(columns, ignore_case))
    frame, fit = records.frame, _first(project, records, rules)
    if again and records.as_wanted:
        text = as_text(schema, rules.operation, columns)
        parsed = json_column(json_text(fn.col("raw_value")), text)
        frame = frame.select("*", fn.when(fn.col("fault").isNotNull(), parsed).alias(_AGAIN))
        fit = _second(project, fit, text, rules)
    # Of a record that deletes a row no more is needed than its key.
    told = told_of(fit.conflicts, columns, fn.col(DROPPED) | fit.deletes)
    return Rows(
        frame,
        fit.columns,
        fault=fn.when(~fn.col(DROPPED), told.fault(fit.fault)),
        reason=fit.reason,
        misfit=fn.col("fault").isNotNull() & records.as_wanted,
        deletes=fit.deletes if changes else None,
        told=told.where_no(fit.fault),
    )


@dataclass(frozen=True, eq=False)
class _Fit:
    """What records are for a table, and what is amiss with them."""

    columns: Mapping[str, Column]
    conflicts: Mapping[Path, Conflict]
    deletes: Column
    fault: Column
    reason: Column


_Project = Callable[[Column, DataType], _Projection]


def _first(project: _Project, records: Records, rules: ChangeRules) -> _Fit:
    made = project(fn.col("value"), records.value_type)
    deletes = deletes_row(rules, fn.col("value"), records.value_type)
    return _Fit(
        made.columns,
        made.conflicts,
        deletes,
        fault=fn.coalesce(fn.col("fault").getField("text"), _fault(made, deletes, rules)),
        reason=fn.coalesce(fn.col("fault").getField("class"), fn.lit(_ROW)),
    )


def _second(project: _Project, first: _Fit, text: StructType, rules: ChangeRules) -> _Fit:
    """Take those that were not as wanted as they were read again, if they are JSON at all."""
    made = project(fn.col(_AGAIN), text)
    deletes = first.deletes | deletes_row(rules, fn.col(_AGAIN), text)
    fits = ~is_broken(fn.col(_AGAIN))
    return _Fit(
        {
            name: fn.when(fits, made.columns[name]).otherwise(column)
            for name, column in first.columns.items()
        },
        either(fits, made.conflicts, first.conflicts),
        deletes,
        fault=fn.when(fits, _fault(made, deletes, rules)).otherwise(first.fault),
        reason=fn.when(fits, _ROW).otherwise(first.reason),
    )


def _fault(made: _Projection, deletes: Column, rules: ChangeRules) -> Column:
    """Say why a record is no row; of one that deletes a row no more is needed than its key."""
    if not rules.operation:
        return made.fault()
    return fn.when(deletes, made.fault(rules.keys)).otherwise(made.fault())


def _projection(record: Column, kind: DataType, schema: StructType, at: Spot) -> _Projection:
    """Take each column of the table from the fields that are for it."""
    if not isinstance(kind, StructType):
        return _Projection(
            {field.name: fn.lit(None).cast(field.dataType) for field in schema.fields},
            {"": fn.lit("its value has no fields")},
        )
    made = members(field_of(record, kind, schema.fields, at), schema.fields, at)
    groups = grouped(kind.names, ignore_case=at.ignore_case)

    def sentence(field: StructField) -> str:
        return _sentence(field, groups.get(name_key(field.name, ignore_case=at.ignore_case), ()))

    faults = {
        field.name: fn.when(failed, fn.lit(sentence(field)))
        for field in schema.fields
        if (failed := made[field.name].failed) is not None
    }
    conflicts = {path: one for part in made.values() for path, one in part.conflicts.items()}
    return _Projection({name: one.column for name, one in made.items()}, faults, conflicts)


def _sentence(field: StructField, names: Sequence[str]) -> str:
    said = f"required column {field.name} has no value"
    if field.nullable:
        said = f"column {field.name} ({field.dataType.simpleString()}) cannot hold its value"
    several = f", or {' and '.join(names)} are not the same" if len(names) > 1 else ""
    return said + several
