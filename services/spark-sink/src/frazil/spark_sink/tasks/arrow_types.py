"""Iceberg's types as Arrow's, as a Parquet writer wants them: with field ids at every depth."""

import pyarrow as pa

from frazil.spark_sink.records.schema.types import Column, List, Primitive, Struct, Type

FIELD_ID = b"PARQUET:field_id"

_PRIMITIVES: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
    "timestamp_ns": pa.timestamp("ns"),
    "timestamptz_ns": pa.timestamp("ns", "UTC"),
    "string": pa.string(),
    "binary": pa.binary(),
    "uuid": pa.uuid(),
    "void": pa.null(),
    "variant": pa.struct(
        [
            pa.field("metadata", pa.binary(), nullable=False),
            pa.field("value", pa.binary(), nullable=False),
        ]
    ),
}

WRITABLE = _PRIMITIVES.keys() - {"variant", "void"}
"""Types of columns that Arrow writes to Parquet, besides decimals and fixed bytes."""


def arrow_type(kind: Type) -> pa.DataType:
    """Map a type of a column."""
    if isinstance(kind, Primitive):
        return _primitive(kind)
    if isinstance(kind, Struct):
        return pa.struct([_field(column) for column in kind.columns])
    if isinstance(kind, List):
        return pa.list_(_field(Column("element", kind.element, kind.required, kind.element_id)))
    return pa.map_(
        _field(Column("key", kind.key, required=True, id=kind.key_id)),
        _field(Column("value", kind.value, kind.required, kind.value_id)),
    )


def arrow_schema(schema: Struct) -> pa.Schema:
    """Map a table's schema."""
    return pa.schema([_field(column) for column in schema.columns])


def _field(column: Column) -> pa.Field:
    return pa.field(
        column.name,
        arrow_type(column.type),
        nullable=not column.required,
        metadata={FIELD_ID: str(column.id)} if column.id else None,
    )


def _primitive(kind: Primitive) -> pa.DataType:
    if kind.name == "decimal":
        return pa.decimal128(kind.precision, kind.scale)
    if kind.name == "fixed":
        return pa.binary(kind.length)
    if kind.name not in _PRIMITIVES:
        raise ValueError(f"values of type {kind} cannot be written")
    return _PRIMITIVES[kind.name]
