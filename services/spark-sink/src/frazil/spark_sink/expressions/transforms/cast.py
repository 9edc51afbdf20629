"""The Cast transform: Connect's conversions between primitive types."""

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NullType,
    NumericType,
    ShortType,
    StringType,
    TimestampType,
)

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.forms import cast_spec
from frazil.spark_sink.expressions.draft import Draft
from frazil.spark_sink.expressions.nodes import TIME, Leaf, Node

_TYPES: dict[str, DataType] = {
    "int8": ByteType(),
    "int16": ShortType(),
    "int32": IntegerType(),
    "int64": LongType(),
    "float32": FloatType(),
    "float64": DoubleType(),
    "boolean": BooleanType(),
    "string": StringType(),
}
_DATE, _TIMESTAMP, _TIME = "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", "HH:mm:ss.SSS'Z'"


def cast(draft: Draft, step: Step) -> Draft:
    spec = cast_spec(step.options["spec"])
    if None in spec:
        draft, node = _cast_node(draft, draft.side(step.side).node, spec[None], "it")
        return draft.with_node(step.side, node)
    draft, group = draft.parts(step.side, "cast types")
    if group is None:
        return draft
    fields = dict(group.fields)
    for name, kind in spec.items():
        if name is not None and name in fields:
            draft, fields[name] = _cast_node(draft, fields[name], kind, f"field {name}")
    return draft.with_node(step.side, group.having(fields))


def _cast_node(draft: Draft, node: Node, word: str, what: str) -> tuple[Draft, Node]:
    kind = _TYPES[word]
    if isinstance(node.type, NullType):
        return draft, Leaf(fn.lit(None).cast(kind), kind)
    column = _cast(node, kind)
    if column is None:
        return draft.failing(~node.is_null, f"{what} cannot be cast to {word}"), node
    failed = ~node.is_null & column.isNull()
    text = f"{what} has a value that cannot be cast to {word}"
    return draft.failing(failed, text), Leaf(column, kind, optional=node.optional)


def _cast(node: Node, kind: DataType) -> Column | None:
    """Return the value as another type; None where Connect has no conversion."""
    if isinstance(kind, StringType):
        return _as_text(node)
    source = node.type
    if isinstance(kind, BooleanType) and isinstance(source, StringType):
        return fn.lower(node.column) == "true"
    if isinstance(source, DateType):
        return fn.unix_date(node.column).try_cast(kind) if _is_integer(kind) else None
    if isinstance(source, TimestampType):
        return fn.unix_millis(node.column).try_cast(kind) if _is_integer(kind) else None
    if isinstance(source, NumericType | BooleanType | StringType):
        return node.column.try_cast(kind)
    return None


def _is_integer(kind: DataType) -> bool:
    return isinstance(kind, ByteType | ShortType | IntegerType | LongType)


def _as_text(node: Node) -> Column | None:
    source, column = node.type, node.column
    if node.name == TIME:
        return fn.date_format(fn.timestamp_millis(column), _TIME)
    if isinstance(source, DateType):
        return fn.date_format(column, _DATE)
    if isinstance(source, TimestampType):
        return fn.date_format(column, _TIMESTAMP)
    if isinstance(source, BinaryType):
        return fn.base64(column)
    if isinstance(source, NumericType | BooleanType | StringType):
        return column.cast(StringType())
    return None
