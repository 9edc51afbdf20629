"""What records do to the rows of their keys, and the last of what a batch does to each."""

from collections.abc import Iterable, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StringType, StructType
from pyspark.sql.window import Window, WindowSpec

from frazil.spark_sink.records.changes import ChangeRules
from frazil.spark_sink.tasks.changes import CHANGE, DELETES

_RANK = "frazil_rank"


def newest_of(changes: DataFrame, schema: StructType, rules: ChangeRules) -> DataFrame:
    """Return the last change of each key, by the sequence, else by offset and then by time."""
    change, keys = fn.col(CHANGE), [column(key) for key in rules.keys]
    place = [change.getField("topic"), change.getField("partition")]
    offset, time = change.getField("offset").desc(), change.getField("timestamp").desc()
    if rules.sequence:
        order = column(*rules.sequence).desc_nulls_first()
        windows = [Window.partitionBy(*keys).orderBy(order, time, offset)]
    else:
        windows = [
            Window.partitionBy(*keys, *place).orderBy(offset),
            Window.partitionBy(*keys).orderBy(time),
        ]
    for window in windows:
        changes = _first(_filled(changes, window, schema, rules), window)
    return changes


def _first(changes: DataFrame, window: WindowSpec) -> DataFrame:
    ranked = changes.withColumn(_RANK, fn.row_number().over(window))
    return ranked.where(fn.col(_RANK) == 1).drop(_RANK)


def _filled(
    changes: DataFrame, window: WindowSpec, schema: StructType, rules: ChangeRules
) -> DataFrame:
    """Take what is not available from the change before, where the batch has it."""
    older = window.rowsBetween(Window.currentRow, Window.unboundedFollowing)

    def filled(name: str) -> Column:
        is_known = ~column(name).eqNullSafe(fn.lit(rules.unavailable))
        known = fn.when(is_known, fn.struct(column(name).alias("it")))
        found = fn.first(known, ignorenulls=True).over(older)
        return fn.when(found.isNull(), column(name)).otherwise(found.getField("it"))

    return changes.withColumns({name: filled(name) for name in _texts(rules, schema)})


def rows_alone(changes: DataFrame, names: Iterable[str]) -> DataFrame:
    """Return what a table gets that has nothing yet to be changed."""
    return changes.where(~fn.col(CHANGE).getField(DELETES)).select(*(column(n) for n in names))


def merge_statement(schema: StructType, rules: ChangeRules) -> str:
    """Return the MERGE of `changes` into `target`; a change that is older than its row is none."""
    deletes = f"s.{CHANGE}.{DELETES}"
    newer = ""
    if rules.sequence:
        name = quoted(*rules.sequence)
        newer = f" AND coalesce(s.{name} >= t.{name}, true)"
    names = [quoted(name) for name in schema.names]
    same = " AND ".join(f"t.{quoted(key)} <=> s.{quoted(key)}" for key in rules.keys)
    return (
        f"MERGE INTO target AS t USING changes AS s ON {same} "  # noqa: S608 (names are quoted)
        f"WHEN MATCHED AND {deletes}{newer} THEN DELETE "
        f"WHEN MATCHED AND NOT {deletes}{newer} THEN UPDATE SET {_assignments(schema, rules)} "
        f"WHEN NOT MATCHED AND NOT {deletes} THEN INSERT ({', '.join(names)}) "
        f"VALUES ({', '.join(f's.{name}' for name in names)})"
    )


def _assignments(schema: StructType, rules: ChangeRules) -> str:
    texts = set(_texts(rules, schema))
    return ", ".join(_assignment(name, rules, kept=name in texts) for name in schema.names)


def _assignment(name: str, rules: ChangeRules, *, kept: bool) -> str:
    name = quoted(name)
    if not kept:
        return f"t.{name} = s.{name}"
    text = rules.unavailable.replace("\\", "\\\\").replace("'", "\\'")
    return f"t.{name} = CASE WHEN s.{name} = '{text}' THEN t.{name} ELSE s.{name} END"


def _texts(rules: ChangeRules, schema: StructType) -> list[str]:
    """Name the columns in which a text may stand for what is there."""
    is_sought = bool(rules.operation and rules.unavailable)
    kinds = ((field.name, field.dataType) for field in schema.fields)
    return [n for n, kind in kinds if is_sought and isinstance(kind, StringType)]


def column(*path: str) -> Column:
    return fn.col(quoted(*path))


def quoted(*path: str) -> str:
    return ".".join(f"`{name.replace('`', '``')}`" for name in path)


def type_at(schema: StructType, path: Sequence[str]) -> DataType | None:
    """Return the type of a column, or of a field inside of one."""
    kind: DataType = schema
    for name in path:
        if not isinstance(kind, StructType) or name not in kind.names:
            return None
        kind = kind[name].dataType
    return kind
