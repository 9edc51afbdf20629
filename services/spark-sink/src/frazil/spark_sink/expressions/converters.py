"""Connect's converters: how the bytes of a key or a value become a node."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import BinaryType, DataType, StringType, StructType

from frazil.spark_sink.expressions.draft import Side, event
from frazil.spark_sink.expressions.json_values import (
    content,
    found_type,
    is_broken,
    json_column,
    json_text,
)
from frazil.spark_sink.expressions.nodes import Leaf


@dataclass(frozen=True, eq=False)
class Reading:
    """How one side is read: columns, computed stage by stage, and what to make of them.

    Two readings of the same `shape` have the same side and events.
    """

    stages: tuple[Mapping[str, Column], ...]
    side: Side
    events: tuple[Column, ...] = ()
    shape: Hashable = None


class Converter(Protocol):
    def read(self, frame: DataFrame, name: str, wanted: StructType | None) -> Reading:
        """Read the side of this name, `key` or `value`, from `raw_key` or `raw_value`.

        `wanted` is the type to read where the record's own is not needed.
        """
        ...


class BytesConverter:
    def read(self, _frame: DataFrame, name: str, _wanted: StructType | None) -> Reading:
        return Reading(({name: raw(name)},), Side(Leaf(fn.col(name), BinaryType()), schema=True))


class StringConverter:
    def read(self, _frame: DataFrame, name: str, _wanted: StructType | None) -> Reading:
        column = raw(name).cast(StringType())
        return Reading(({name: column},), Side(Leaf(fn.col(name), StringType()), schema=True))


class JsonConverter:
    """JSON without schemas: the type is what the records of a batch have in common."""

    def __init__(self) -> None:
        self._known: DataType | None = None

    def read(self, frame: DataFrame, name: str, wanted: StructType | None) -> Reading:
        text = json_text(raw(name))
        kind = self._found(frame, text) if wanted is None else wanted
        parsed, present = fn.col(name), ~is_json_null(name)
        # A column of its own: who asks the bytes later on has them copied until then.
        columns = {
            name: json_column(fn.when(present, text), kind),
            f"{name}_present": present,
        }
        broken = event(
            fn.col(f"{name}_present") & is_broken(parsed),
            "converter",
            "it is no JSON (UTF-8) of the shape that is read",
        )
        side = Side(Leaf(content(parsed, kind), kind), schema=False)
        return Reading((columns,), side, (broken,), kind.json())

    def _found(self, frame: DataFrame, text: Column) -> DataType:
        found = found_type(frame, text, self._known)
        if not isinstance(found, StructType) or found.fields:
            self._known = found
        return found


def raw(name: str) -> Column:
    return fn.col(f"raw_{name}")


def is_json_null(name: str) -> Column:
    return raw(name).isNull() | (raw(name) == fn.lit(b"null"))
