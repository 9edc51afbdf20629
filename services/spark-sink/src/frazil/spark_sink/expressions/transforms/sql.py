"""`frazil.transforms.Sql`: the value becomes what a SELECT makes of it."""

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.sql import Statement, parse_statement
from frazil.spark_sink.expressions.draft import PLACE, Bench, Draft
from frazil.spark_sink.expressions.nodes import Leaf, Node, opened
from frazil.spark_sink.expressions.plan_check import RefusedPlanError, check_plan
from frazil.worker.errors import BadConfigError

_RECORD, _KAFKA, _ALL, _IS_THERE = "record", "_kafka", "_frazil", "_frazil_is_there"
_STARS = ("*", f"{_RECORD}.*")


def sql(draft: Draft, step: Step, bench: Bench) -> Draft:
    statement = parse_statement(step.options["statement"])
    value, kept = bench.new_name(), bench.new_name()
    relation = _Relation(bench.frame, draft)
    key = f"transforms.{step.alias}.statement"
    try:
        frame = relation.select(statement, value, kept)
        check_plan(frame, bench.frame)
    except (AnalysisException, ParseException) as error:
        words = str(error).partition("\n")[0]
        raise BadConfigError(f"{key}: {words}") from error
    except RefusedPlanError as error:
        raise BadConfigError(f"{key} is refused: it {error}.") from error
    bench.frame = frame
    draft = draft.dropping(~draft.value.node.is_null & ~fn.coalesce(fn.col(kept), fn.lit(False)))
    kind = bench.frame.schema[value].dataType
    return draft.with_node(None, Leaf(fn.col(value), kind))


class _Relation:
    """The table `record`: the fields of the value, and beside them `_kafka`."""

    def __init__(self, frame: DataFrame, draft: Draft) -> None:
        self._frame = frame
        self._draft = draft
        group = opened(draft.value.node)
        whole: dict[str, Node] = {"value": draft.value.node}
        self._fields = whole if group is None else dict(group.fields)

    def select(self, statement: Statement, value: str, kept: str) -> DataFrame:
        """Add the result of a statement to the frame, and whether its condition holds."""
        absent: list[str] = []
        while True:
            try:
                return self._select(statement, value, kept, absent)
            except AnalysisException as error:
                absent.append(self._absent(error, absent))

    def _absent(self, error: AnalysisException, absent: list[str]) -> str:
        """Name a field that no record of this batch has; without schemas it is null then."""
        unknown = (error.getCondition() or "").startswith("UNRESOLVED_COLUMN")
        name = (error.getMessageParameters() or {}).get("objectName", "").strip("`")
        if self._draft.value.schema or not unknown or name in absent or "`" in name:
            raise error
        return name

    def _select(self, statement: Statement, value: str, kept: str, absent: list[str]) -> DataFrame:
        row = fn.struct(*(part for text in statement.columns for part in self._parts(text)))
        return self._table(absent).select(
            f"{_ALL}.*",
            fn.when(fn.col(_IS_THERE), row).alias(value),
            fn.when(fn.col(_IS_THERE), fn.expr(statement.where or "true")).alias(kept),
        )

    def _parts(self, text: str) -> list[Column]:
        """Return the columns of one expression; a star stands for the fields, not for `_kafka`."""
        if text in _STARS:
            return [fn.col(f"`{name}`") for name in self._fields]
        return [fn.expr(text)]

    def _table(self, absent: list[str]) -> DataFrame:
        is_there = ~self._draft.value.node.is_null & fn.col("outcome").isNull()
        return self._frame.select(
            fn.struct("*").alias(_ALL),
            is_there.alias(_IS_THERE),
            fn.struct(*PLACE[:4], "routed_topic", "key", "headers", "raw_value").alias(_KAFKA),
            *(node.column.alias(name) for name, node in self._fields.items()),
            *(fn.lit(None).cast("string").alias(name) for name in absent),
        ).alias(_RECORD)
