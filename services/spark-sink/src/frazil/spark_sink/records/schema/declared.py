"""Types of columns for values with a schema, as the Iceberg sink of Kafka Connect has them."""

from collections.abc import Mapping

from frazil.contracts.columns import Policy
from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Kind, Schema
from frazil.spark_sink.records.schema.inference import DEEPEST, override_type
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.records.schema.types import (
    Column,
    List,
    Map,
    Path,
    Primitive,
    Struct,
    Type,
)
from frazil.spark_sink.records.schema.unify import MOST_DIGITS, STRING

_TYPES: Mapping[Kind, Primitive] = {
    Kind.BOOLEAN: Primitive("boolean"),
    Kind.INT8: Primitive("int"),
    Kind.INT16: Primitive("int"),
    Kind.INT32: Primitive("int"),
    Kind.INT64: Primitive("long"),
    Kind.FLOAT32: Primitive("float"),
    Kind.FLOAT64: Primitive("double"),
    Kind.STRING: STRING,
    Kind.BYTES: Primitive("binary"),
}
_LOGICAL: Mapping[tuple[Kind, str], Primitive] = {
    (Kind.INT32, DATE): Primitive("date"),
    (Kind.INT32, TIME): Primitive("time"),
    (Kind.INT64, TIMESTAMP): Primitive("timestamptz"),
    (Kind.STRING, "uuid"): Primitive("uuid"),
}

_NESTED = (Kind.STRUCT, Kind.ARRAY, Kind.MAP)
_NULLING = (Policy.NULL, Policy.RESCUE)


def declared_struct(schema: Schema, rules: EvolutionRules, path: Path = ()) -> Struct:
    """Return the columns that the schema of a struct declares."""
    return Struct(
        tuple(
            Column(
                field.name,
                declared_type(field.schema, rules, (*path, field.name)),
                _required(field.schema, rules, (*path, field.name)),
            )
            for field in schema.fields
        )
    )


def declared_type(schema: Schema, rules: EvolutionRules, path: Path) -> Type:
    """Return the type of a column for the values of a schema."""
    override = override_type(rules.columns, path)
    if override is not None:
        return override
    if schema.kind in _NESTED and len(path) >= DEEPEST:
        return STRING
    if schema.kind is Kind.STRUCT:
        return declared_struct(schema, rules, path)
    if schema.kind is Kind.ARRAY and schema.element:
        inner = (*path, "element")
        element = declared_type(schema.element, rules, inner)
        return List(element, _required(schema.element, rules, inner))
    if schema.kind is Kind.MAP and schema.key and schema.element:
        inner = (*path, "value")
        value = declared_type(schema.element, rules, inner)
        key = declared_type(schema.key, rules, (*path, "key"))
        return Map(key, value, _required(schema.element, rules, inner))
    if schema.kind is Kind.BYTES and schema.name == DECIMAL:
        return _decimal(schema.parameters)
    return _LOGICAL.get((schema.kind, schema.name or "")) or _TYPES.get(schema.kind, STRING)


def _decimal(parameters: Mapping[str, str]) -> Primitive:
    """Connect's decimals have a scale, and as many digits as there are."""
    scale = max(0, int(parameters.get("scale", "0")))
    return Primitive("decimal", MOST_DIGITS, scale) if scale <= MOST_DIGITS else STRING


def _required(schema: Schema, rules: EvolutionRules, path: Path) -> bool:
    may_be_null = schema.optional or rules.force_optional
    return not may_be_null and rules.columns.policy(path) not in _NULLING
