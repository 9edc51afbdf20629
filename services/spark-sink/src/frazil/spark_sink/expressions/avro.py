"""Avro with a Confluent schema registry: a magic byte, the id of the schema, then the datum."""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.avro.functions import from_avro
from pyspark.sql.types import DataType, NullType, StructType

from frazil.spark_sink.expressions.converters import Reading, raw
from frazil.spark_sink.expressions.draft import Side, event
from frazil.spark_sink.expressions.nodes import Leaf, Node, chosen
from frazil.spark_sink.expressions.registry import SchemaRegistry, UnknownSchemaError

_HEADER = 5
_NO_ID = -1


class AvroConverter:
    def __init__(self, registry: SchemaRegistry) -> None:
        self._registry = registry
        self._types: dict[int, DataType] = {}

    def read(self, frame: DataFrame, name: str, _wanted: StructType | None) -> Reading:
        numbers = _distinct_ids(frame, name)
        known, unknown = self._split(numbers)
        id_column = fn.col(f"{name}_id")
        columns = {
            f"{name}_{number}": fn.when(id_column == number, _datum(name, schema))
            for number, schema in known.items()
        }
        events = [
            event(id_column == _NO_ID, "converter", "it is not Avro with the id of a schema"),
            *(event(id_column == n, "converter", f"schema {n}: {why}") for n, why in unknown),
        ]
        whole: Node = Leaf(fn.lit(None), NullType())
        for number, schema in known.items():
            is_it, column = id_column == number, fn.col(f"{name}_{number}")
            node = Leaf(column, self._type(frame, number, schema))
            events.append(event(is_it & _is_broken(node, name), "converter", "its Avro is broken"))
            whole = node if len(numbers) == 1 else chosen(is_it, node, whole)
        stages = ({f"{name}_id": _id(name)}, columns)
        shape = (tuple(known), tuple(unknown))
        return Reading(stages, Side(whole, schema=True), tuple(events), shape)

    def _split(self, numbers: list[int]) -> tuple[Mapping[int, str], list[tuple[int, str]]]:
        known: dict[int, str] = {}
        unknown: list[tuple[int, str]] = []
        for number in numbers:
            try:
                known[number] = self._registry.schema(number)
            except UnknownSchemaError as error:
                unknown.append((number, str(error)))
        return known, unknown

    def _type(self, frame: DataFrame, number: int, schema: str) -> DataType:
        """Ask Spark for the type, with what is required in it, which it forgets when reading."""
        if number not in self._types:
            strict = frame.limit(0).select(from_avro(fn.col("raw_value"), schema, _STRICT))
            self._types[number] = strict.schema[0].dataType
        return self._types[number]


_STRICT = {"mode": "FAILFAST"}


def _datum(name: str, schema: str) -> Column:
    body = fn.substring(raw(name), fn.lit(_HEADER + 1), fn.length(raw(name)))
    return from_avro(body, schema, {"mode": "PERMISSIVE"})


def _id(name: str) -> Column:
    """Return the id of a record's schema; one without, -1; one without bytes has none at all."""
    digits = fn.hex(fn.substring(raw(name), fn.lit(1), fn.lit(_HEADER)))
    number = fn.conv(fn.substring(digits, 3, 8), 16, 10).cast("int")
    framed = (fn.length(raw(name)) >= _HEADER) & digits.startswith("00")
    return fn.when(raw(name).isNotNull(), fn.when(framed, number).otherwise(_NO_ID))


def _distinct_ids(frame: DataFrame, name: str) -> list[int]:
    rows = frame.select(_id(name).alias("id")).distinct().collect()
    return sorted(row.id for row in rows if row.id is not None and row.id != _NO_ID)


def _is_broken(node: Leaf, name: str) -> Column:
    """Tell a datum that Spark could not read: it makes a struct of nulls, or a null, of it.

    A struct whose fields may all be null takes a byte for each of them, and no more, if they are.
    """
    if not isinstance(node.type, StructType):
        return node.column.isNull() & (fn.length(raw(name)) > _HEADER + 1)
    fields = node.type.fields
    empty = fn.lit(True)
    for field in fields:
        empty = empty & node.column.getField(field.name).isNull()
    required = any(not field.nullable for field in fields)
    longer = fn.length(raw(name)) != _HEADER + len(fields)
    return node.column.isNotNull() & empty & (fn.lit(required) | longer)
