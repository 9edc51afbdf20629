"""A record while a chain is compiled: what it is so far, and what is wrong with it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType

from frazil.spark_sink.expressions.nodes import Group, Leaf, Node, chosen, opened

# Where a record came from: no transform changes these.
PLACE = ("topic", "partition", "offset", "timestamp", "raw_key", "raw_value", "raw_headers")
_DROPPED = "dropped"


def event(condition: Column, kind: str, text: str = "") -> Column:
    """Say what happens to the records of a condition; of several events the first one counts."""
    return fn.when(condition, fn.struct(fn.lit(kind).alias("class"), fn.lit(text).alias("text")))


@dataclass(frozen=True, eq=False)
class Side:
    """The key or the value; `schema` tells whether Connect would know its schema."""

    node: Node
    schema: bool


@dataclass(frozen=True, eq=False)
class Draft:
    """`topic` is the one that routes; the record's own is the column of that name.

    `events` tell in order what makes a record no row: a fault, or a transform that drops it.
    """

    topic: Column
    headers: Column
    key: Side
    value: Side
    events: tuple[Column, ...] = ()

    def side(self, name: str | None) -> Side:
        return self.key if name == "Key" else self.value

    def with_node(self, name: str | None, node: Node, *, schema: bool | None = None) -> "Draft":
        old = self.side(name)
        side = Side(node, old.schema if schema is None else schema)
        return replace(self, key=side) if name == "Key" else replace(self, value=side)

    def failing(self, condition: Column, text: str) -> "Draft":
        """Set records aside that a transform of Connect's would throw an exception for."""
        return replace(self, events=(*self.events, event(condition, "transform", text)))

    def dropping(self, condition: Column) -> "Draft":
        return replace(self, events=(*self.events, event(condition, _DROPPED)))

    def parts(self, name: str | None, purpose: str) -> tuple["Draft", Group | None]:
        """Return the fields of a side; records whose side has none are set aside."""
        node = self.side(name).node
        found = opened(node)
        if found is not None:
            return self.with_node(name, found), found
        what = "key" if name == "Key" else "value"
        text = f"only structs and maps can be transformed here ({purpose}), its {what} is none"
        return self.failing(~node.is_null, text), None

    def columns(self) -> list[Column]:
        """Return the frame of a finished record."""
        return [
            *(fn.col(name) for name in PLACE),
            self.topic.alias("routed_topic"),
            self.headers.alias("headers"),
            self.key.node.column.alias("key"),
            self.value.node.column.alias("value"),
            self._outcome.alias("outcome"),
        ]

    @property
    def _outcome(self) -> Column:
        return fn.coalesce(*self.events, event(fn.lit(False), _DROPPED))

    def settled(self) -> "Draft":
        """Return the same record read from a frame of its own columns."""
        return Draft(
            topic=fn.col("routed_topic"),
            headers=fn.col("headers"),
            key=Side(_leaf("key", self.key.node), self.key.schema),
            value=Side(_leaf("value", self.value.node), self.value.schema),
            events=(fn.col("outcome"),),
        )


def _leaf(name: str, node: Node) -> Leaf:
    return Leaf(fn.col(name), node.type, optional=node.optional, name=node.name)


def chosen_draft(condition: Column, then: Draft, otherwise: Draft) -> Draft:
    """Return the record that one of two drafts describes, by a condition."""
    met = fn.coalesce(condition, fn.lit(False))
    return Draft(
        topic=_chosen_column(met, then.topic, otherwise.topic),
        headers=_chosen_column(met, then.headers, otherwise.headers),
        key=_chosen_side(met, then.key, otherwise.key),
        value=_chosen_side(met, then.value, otherwise.value),
        events=_guarded(met, then.events, otherwise.events),
    )


def _chosen_column(met: Column, then: Column, otherwise: Column) -> Column:
    return then if then is otherwise else fn.when(met, then).otherwise(otherwise)


def _chosen_side(met: Column, then: Side, otherwise: Side) -> Side:
    if then is otherwise:
        return then
    return Side(chosen(met, then.node, otherwise.node), then.schema or otherwise.schema)


def _guarded(
    met: Column, then: tuple[Column, ...], otherwise: tuple[Column, ...]
) -> tuple[Column, ...]:
    """Keep what was there before, and let what is new hold where the condition does."""
    return (*otherwise, *(fn.when(met, new) for new in then[len(otherwise) :]))


def finished() -> list[Column]:
    """Return the columns that the rest of a sink works with, from those of a settled draft.

    A record without a value is no row either, as in Kafka Connect's Iceberg sinks.
    """
    outcome = fn.col("outcome")
    is_dropped = outcome.getField("class") == _DROPPED
    return [
        *(fn.col(name) for name in (*PLACE, "routed_topic", "headers", "key", "value")),
        fn.when(~is_dropped, outcome).alias("fault"),
        fn.coalesce(is_dropped, fn.col("value").isNull()).alias("dropped"),
    ]


Infer = Callable[[DataFrame, Column], DataType]


class Bench:
    """What a chain is compiled on: the frame so far, for transforms that have to look at it."""

    def __init__(self, frame: DataFrame, infer: Infer) -> None:
        self.frame = frame
        self._infer = infer
        self._added = 0

    def add(self, column: Column) -> Column:
        """Let something be computed once, for all that is made of it."""
        name = self.new_name()
        self.frame = self.frame.select("*", column.alias(name))
        return fn.col(name)

    def new_name(self) -> str:
        self._added += 1
        return f"__frazil_{self._added}"

    def settle(self, draft: Draft) -> Draft:
        """Make columns of a draft, so that what comes next is computed upon them once."""
        self.frame = self.frame.select(*draft.columns())
        return draft.settled()

    def json_type(self, texts: Column) -> DataType:
        """Find the type of JSON texts; this reads the batch."""
        return self._infer(self.frame, texts)
