"""Records through their SQL transforms: Python tasks before and after, and Spark between them.

Records of one shape are selected together. What a statement makes of a record so depends on this
record alone: that another one has a text where it has a number changes nothing for it. Where Spark
cannot make sense of the statement for a shape, its records are refused, as by any transform.
"""

import json
from collections.abc import Sequence
from functools import partial, reduce

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.sql import Statement, parse_statement
from frazil.spark_sink.records.schema.types import parse_schema
from frazil.spark_sink.records.transforms.sql import KAFKA, KEY, STAR
from frazil.spark_sink.sql.mentions import RECORD, mentions_of
from frazil.spark_sink.sql.plan_check import RefusedPlanError, check_plan
from frazil.spark_sink.sql.types import opened_type, outcome_type, shaped_type, spark_struct
from frazil.spark_sink.tasks.chunks import KAFKA_COLUMNS
from frazil.spark_sink.tasks.plan import RecordPlan
from frazil.spark_sink.tasks.sql import (
    FIELD,
    KEPT,
    OUTCOME,
    PART,
    ROUTED,
    SHAPE,
    SqlStage,
    find_shapes,
    open_columns,
    refuse,
    take_selected,
)
from frazil.worker.bridge import map_in_arrow
from frazil.worker.errors import BadConfigError

_STARS = ("*", f"{RECORD}.*")
_BESIDE = "_frazil"
# Whatever records look like, these make no sense.
_NEVER = ("UNRESOLVED_ROUTINE", "WRONG_NUM_ARGS", "PARSE")


class SqlTransforms:
    """The SQL transforms of a plan, one after the other; `rest` is the plan behind them."""

    def __init__(self, spark: SparkSession, plan: RecordPlan) -> None:
        stages, self.rest = plan.parted()
        self._transforms = [_SqlTransform(spark, way, step) for way, step in stages]

    def __bool__(self) -> bool:
        return bool(self._transforms)

    def apply(self, records: DataFrame) -> tuple[DataFrame, list[DataFrame]]:
        """Return records with their outcomes, and frames to be unpersisted when all is done."""
        kept = []
        for transform in self._transforms:
            looked_at = transform.look(records).persist()
            kept.append(looked_at)
            records = transform.select(looked_at)
        return records, kept


class _SqlTransform:
    def __init__(self, spark: SparkSession, way: RecordPlan, step: Step) -> None:
        self._key = f"transforms.{step.alias}.statement"
        self._statement = parse_statement(step.options["statement"])
        texts = [text for text in self._statement.columns if text not in _STARS]
        where = [self._statement.where] if self._statement.where else []
        try:
            mentions = mentions_of(spark, [*texts, *where])
        except ParseException as error:
            raise self._bad(error) from error
        self._stage = SqlStage(way, mentions, step.predicate)

    def look(self, records: DataFrame) -> DataFrame:
        """Take records to the statement, and find what it sees of each."""
        return map_in_arrow(records, partial(find_shapes, self._stage), shaped_type())

    def select(self, looked_at: DataFrame) -> DataFrame:
        """Apply the statement, once for all records of a shape."""
        shapes = [row[0] for row in looked_at.select(SHAPE).distinct().collect()]
        frames = [self._of_shape(looked_at, shape) for shape in sorted(filter(None, shapes))]
        if None in shapes or not frames:
            frames.append(looked_at.where(fn.col(SHAPE).isNull()).drop(SHAPE))
        return reduce(DataFrame.union, frames)

    def _of_shape(self, looked_at: DataFrame, shape: str) -> DataFrame:
        records = looked_at.where(fn.col(SHAPE) == shape).drop(SHAPE)
        seen = spark_struct(parse_schema(json.loads(shape)))
        opened = map_in_arrow(records, partial(open_columns, shape), opened_type(seen))
        try:
            selected = _selected(opened, seen.names, self._statement)
            check_plan(selected, opened)
        except RefusedPlanError as error:
            raise BadConfigError(f"{self._key} is refused: it {error}.") from error
        except AnalysisException as error:
            if (error.getCondition() or "").startswith(_NEVER):
                raise self._bad(error) from error
            why = f"{self._key}: {_words(error)}"
            return map_in_arrow(records, partial(refuse, why), outcome_type())
        return map_in_arrow(
            selected, partial(take_selected, _parts(self._statement)), outcome_type()
        )

    def _bad(self, error: AnalysisException) -> BadConfigError:
        return BadConfigError(f"{self._key}: {_words(error)}")


def _selected(opened: DataFrame, names: Sequence[str], statement: Statement) -> DataFrame:
    """Select from `record`: the fields of the value, and beside them `_kafka`."""
    fields = {name: fn.col(f"{FIELD}{at}") for at, name in enumerate(names)}
    key = fields.pop(KEY, fn.lit(None))
    raw = (fn.col(name) for name in ("topic", "partition", "offset", "timestamp"))
    kafka = fn.struct(
        *raw,
        fn.col(ROUTED).alias("routed_topic"),
        key.alias("key"),
        "headers",
        fn.col("value").alias("raw_value"),
    )
    record = opened.select(
        fn.struct(*KAFKA_COLUMNS, OUTCOME).alias(_BESIDE),
        kafka.alias(KAFKA),
        *(column.alias(name) for name, column in fields.items()),
    ).alias(RECORD)
    # Given a name anew, these two are no longer of `record`, nor of its star.
    beside = [fn.col(name).alias(name) for name in (_BESIDE, KAFKA)]
    record = record.select(*beside, *(_of_record(name) for name in fields))
    parts = [
        fn.struct(fn.expr(text)).alias(name)
        for name, text in zip(_parts(statement), statement.columns, strict=True)
        if name is not STAR
    ]
    kept = fn.coalesce(fn.expr(statement.where or "true"), fn.lit(False)).alias(KEPT)
    return record.select(f"{_BESIDE}.*", *parts, kept)


def _parts(statement: Statement) -> list[str | None]:
    """Name a column for each expression; a star stands for the fields, which stay as they are."""
    return [
        STAR if text in _STARS else f"{PART}{number}"
        for number, text in enumerate(statement.columns)
    ]


def _of_record(name: str) -> Column:
    quoted = name.replace("`", "``")
    return fn.col(f"{RECORD}.`{quoted}`")


def _words(error: AnalysisException) -> str:
    return str(error).strip().partition("\n")[0]
