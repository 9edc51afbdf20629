"""Schemas of Kafka Connect as JSON: the types that they declare, and those on the wire."""

import json
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    VariantType,
)

from frazil.spark_sink.expressions.decimals import decimal_of_bytes
from frazil.spark_sink.expressions.nodes import Group, Leaf, Node
from frazil.spark_sink.expressions.shapes import NAME

_DATA = "org.apache.kafka.connect.data."
_DECIMAL, _DATE, _TIMESTAMP = f"{_DATA}Decimal", f"{_DATA}Date", f"{_DATA}Timestamp"
_DIGITS = 38
_PRIMITIVES: dict[str, DataType] = {
    "boolean": BooleanType(),
    "int8": ByteType(),
    "int16": ShortType(),
    "int32": IntegerType(),
    "int64": LongType(),
    "float": FloatType(),
    "float32": FloatType(),
    "double": DoubleType(),
    "float64": DoubleType(),
    "string": StringType(),
    "bytes": BinaryType(),
}


class BadSchemaError(ValueError):
    """The schema of a record is none of Connect's."""


@dataclass(frozen=True)
class ConnectSchema:
    """One node of a schema; `items` are those of an array, or the values of a map."""

    type: str
    _: KW_ONLY
    optional: bool = False
    name: str | None = None
    scale: int = 0
    default: Any = None
    fields: tuple[tuple[str, "ConnectSchema"], ...] = ()
    keys: "ConnectSchema | None" = None
    items: "ConnectSchema | None" = None

    @property
    def declared(self) -> DataType:
        """The type that values have once they are decoded."""
        return self._typed(_declared, lambda schema: schema.declared)

    @property
    def wire(self) -> DataType:
        """The type that they are read with. Nothing is required there: that is checked after."""
        return self._typed(_wire, lambda schema: schema.wire)

    def _typed(
        self,
        primitive: Callable[["ConnectSchema"], DataType],
        inner: Callable[["ConnectSchema"], DataType],
    ) -> DataType:
        if self.type == "struct":
            return StructType(
                [
                    StructField(
                        name, inner(field), field.optional, {NAME: field.name} if field.name else {}
                    )
                    for name, field in self.fields
                ]
            )
        if self.items is None:
            return primitive(self)
        if self.keys is None:
            return ArrayType(inner(self.items), self.items.optional)
        return MapType(inner(self.keys), inner(self.items), self.items.optional)


def _declared(schema: ConnectSchema) -> DataType:
    if schema.name == _DECIMAL:
        return DecimalType(_DIGITS, schema.scale)
    if schema.name == _DATE:
        return DateType()
    return TimestampType() if schema.name == _TIMESTAMP else _PRIMITIVES[schema.type]


def _wire(schema: ConnectSchema) -> DataType:
    # A decimal is a number, or base64: only a variant can tell which.
    return VariantType() if schema.name == _DECIMAL else _PRIMITIVES[schema.type]


def parse_schema(text: str) -> ConnectSchema:
    try:
        return _parse(json.loads(text))
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadSchemaError(f"its schema is not one of Kafka Connect: {error}") from error


def _parse(node: Mapping[str, Any]) -> ConnectSchema:
    kind, name = node["type"], node.get("name")
    if kind not in _PRIMITIVES and kind not in ("struct", "array", "map"):
        raise ValueError(f"unknown type {kind}")
    parameters = node.get("parameters") or {}
    items = {"array": "items", "map": "values"}.get(kind)
    return ConnectSchema(
        kind,
        optional=bool(node.get("optional", False)),
        name=name,
        scale=int(parameters.get("scale", 0)) if name == _DECIMAL else 0,
        default=node.get("default"),
        fields=tuple((field["field"], _parse(field)) for field in node.get("fields") or ()),
        keys=_parse(node["keys"]) if kind == "map" else None,
        items=_parse(node[items]) if items else None,
    )


def _decoded(column: Column, schema: ConnectSchema, *, defaults: bool) -> Column:
    """Make the declared value of what was read; a null becomes the schema's default."""
    value = _decoded_present(column, schema, defaults=defaults)
    if not defaults or schema.default is None:
        return value
    return fn.coalesce(value, _default(schema))


def _default(schema: ConnectSchema) -> Column:
    wire = StructType([StructField("default", schema.wire)])
    read = fn.from_json(fn.lit(json.dumps({"default": schema.default})), wire)
    return _decoded_present(read.getField("default"), schema, defaults=False)


def _decoded_present(column: Column, schema: ConnectSchema, *, defaults: bool) -> Column:
    if schema.wire == schema.declared and not (defaults and _has_defaults(schema)):
        return column
    if schema.type == "struct":
        fields = [
            _decoded(column.getField(name), field, defaults=defaults).alias(name)
            for name, field in schema.fields
        ]
        return fn.when(column.isNotNull(), fn.struct(*fields))
    if schema.items is None:
        return _decoded_primitive(column, schema)
    items = schema.items
    if schema.keys is None:
        return fn.transform(column, lambda item: _decoded(item, items, defaults=defaults))
    return fn.transform_values(column, lambda _key, item: _decoded(item, items, defaults=defaults))


def _decoded_primitive(column: Column, schema: ConnectSchema) -> Column:
    if schema.name == _DECIMAL:
        return _decimal(column, schema.scale)
    if schema.name == _DATE:
        return fn.date_from_unix_date(column)
    return _moment(column) if schema.name == _TIMESTAMP else column


def _decimal(column: Column, scale: int) -> Column:
    is_text = fn.schema_of_variant(column) == "STRING"
    packed = fn.unbase64(fn.try_variant_get(column, "$", "string"))
    number = fn.try_variant_get(column, "$", f"decimal({_DIGITS},{scale})")
    return fn.when(is_text, decimal_of_bytes(packed, scale)).otherwise(number)


def _is_null(column: Column, schema: ConnectSchema) -> Column:
    """Tell whether there is no value; a variant holds JSON's null as one."""
    if schema.name != _DECIMAL:
        return column.isNull()
    return column.isNull() | fn.is_variant_null(column)


def _moment(column: Column) -> Column:
    # Beyond it milliseconds do not fit into Spark's microseconds, and it would stop.
    limit = 2**63 // 1000 - 1
    return fn.when(column.between(-limit, limit), fn.timestamp_millis(column))


def _has_defaults(schema: ConnectSchema) -> bool:
    inner = [field for _, field in schema.fields] + ([schema.items] if schema.items else [])
    return schema.default is not None or any(map(_has_defaults, inner))


def node_of(
    column: Column, schema: ConnectSchema, faults: list[tuple[Column, str]], *, defaults: bool
) -> Node:
    """Make a node of what was read, and tell in `faults` when it is not what the schema says."""
    if schema.type != "struct" or schema.default is not None:
        value = _decoded(column, schema, defaults=defaults)
        if schema.wire != schema.declared:
            faults.append((~_is_null(column, schema) & value.isNull(), f"not a {schema.name}"))
        return Leaf(value, schema.declared, optional=schema.optional, name=schema.name)
    fields: dict[str, Node] = {}
    for name, field in schema.fields:
        inner = column.getField(name)
        if not field.optional and (field.default is None or not defaults):
            missing = column.isNotNull() & _is_null(inner, field)
            faults.append((missing, f"required field {name} has no value"))
        fields[name] = node_of(inner, field, faults, defaults=defaults)
    plain = schema.wire == schema.declared and not (defaults and _has_defaults(schema))
    return Group(
        fields,
        is_null=column.isNull(),
        origin=column if plain else None,
        optional=schema.optional,
        name=schema.name,
    )
