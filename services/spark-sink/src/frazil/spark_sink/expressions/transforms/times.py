"""The TimestampConverter: texts, numbers, dates, times of the day, and moments."""

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    DateType,
    IntegerType,
    LongType,
    NullType,
    StringType,
    TimestampType,
)

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.expressions.draft import Draft
from frazil.spark_sink.expressions.nodes import TIME, Leaf, Node

_DAY_MS = 86_400_000
# How many microseconds one unit is; of nanoseconds it takes a thousand.
_MICROS_PER = {"seconds": 1_000_000, "milliseconds": 1000, "microseconds": 1, "nanoseconds": 0}
_NANOS_PER_MICRO = 1000
_LONGEST = 2**63 - 1


def timestamp_converter(draft: Draft, step: Step) -> Draft:
    name = step.options["field"]
    if not name:
        draft, node = _converted(draft, draft.side(step.side).node, step, "it")
        return draft.with_node(step.side, node)
    draft, group = draft.parts(step.side, "converting timestamp formats")
    if group is None or name not in group.fields:
        return draft
    draft, node = _converted(draft, group.fields[name], step, f"field {name}")
    return draft.with_node(step.side, group.having({**group.fields, name: node}))


def _converted(draft: Draft, node: Node, step: Step, what: str) -> tuple[Draft, Node]:
    moment = _moment(node, step)
    if moment is None:
        return draft.failing(~node.is_null, f"{what} is no time of a kind that is known"), node
    failed = ~node.is_null & moment.isNull()
    draft = draft.failing(failed, f"{what} has a value that is no such time")
    return draft, _TARGETS[step.options["target.type"]](moment, step, node.optional)


def _moment(node: Node, step: Step) -> Column | None:
    """Return the time as a timestamp; None if the type is no time's."""
    kind, column = node.type, node.column
    if isinstance(kind, TimestampType | NullType | DateType):
        return column.cast(TimestampType())
    if node.name == TIME:
        return fn.timestamp_millis(column)
    if isinstance(kind, StringType):
        return fn.try_to_timestamp(column, fn.lit(step.options["format"]))
    return _of_unix(column, step) if isinstance(kind, LongType) else None


def _of_unix(column: Column, step: Step) -> Column:
    factor = _MICROS_PER[step.options["unix.precision"]]
    if factor == 0:
        return fn.timestamp_micros(fn.call_function("div", column, fn.lit(_NANOS_PER_MICRO)))
    # Beyond these a product would not be a number of Spark's any more, and stop the batch.
    limit = _LONGEST // factor
    return fn.when(column.between(-limit, limit), fn.timestamp_micros(column * factor))


def _text(moment: Column, step: Step, optional: bool) -> Leaf:
    return Leaf(fn.date_format(moment, step.options["format"]), StringType(), optional=optional)


def _unix(moment: Column, step: Step, optional: bool) -> Leaf:
    precision = step.options["unix.precision"]
    if precision == "seconds":
        number = fn.unix_seconds(moment)
    elif precision == "milliseconds":
        number = fn.unix_millis(moment)
    else:
        number = fn.unix_micros(moment)
        if precision == "nanoseconds":
            number = fn.try_multiply(number, fn.lit(_NANOS_PER_MICRO))
    return Leaf(number, LongType(), optional=optional)


def _date(moment: Column, _step: Step, optional: bool) -> Leaf:
    return Leaf(moment.cast(DateType()), DateType(), optional=optional)


def _time(moment: Column, _step: Step, optional: bool) -> Leaf:
    millis = fn.pmod(fn.unix_millis(moment), fn.lit(_DAY_MS)).cast(IntegerType())
    return Leaf(millis, IntegerType(), optional=optional, name=TIME)


def _timestamp(moment: Column, _step: Step, optional: bool) -> Leaf:
    return Leaf(moment, TimestampType(), optional=optional)


_TARGETS: dict[str, Callable[[Column, Step, bool], Leaf]] = {
    "string": _text,
    "unix": _unix,
    "Date": _date,
    "Time": _time,
    "Timestamp": _timestamp,
}
