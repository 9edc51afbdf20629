"""Cast: fields, or the whole key or value, become another type."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.forms import cast_spec
from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Field, Kind, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.casting import Caster, CastError, caster
from frazil.spark_sink.records.transforms.refusals import Refusal, refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache, copier, struct_of
from frazil.spark_sink.records.transforms.sides import (
    Change,
    Fields,
    FieldsChange,
    change_fields,
    on_side,
)

_KINDS = {
    "int8": Kind.INT8,
    "int16": Kind.INT16,
    "int32": Kind.INT32,
    "int64": Kind.INT64,
    "float32": Kind.FLOAT32,
    "float64": Kind.FLOAT64,
    "boolean": Kind.BOOLEAN,
    "string": Kind.STRING,
}
_LOGICAL = frozenset((DECIMAL, DATE, TIME, TIMESTAMP))


def cast(step: Step) -> Transform:
    """Compile the casts of `spec`."""
    refuse = refusal(step)
    spec = cast_spec(step.options["spec"])
    whole = spec.get(None)
    if whole is not None:
        return on_side(step, _cast_whole(whole, refuse))
    targets = {name: target for name, target in spec.items() if name is not None}
    casts = [(name, caster(target)) for name, target in targets.items()]

    def cast_map(fields: Fields) -> Fields:
        return _cast_fields(fields.copy(), casts, refuse)

    def compile_schema(schema: Schema) -> tuple[Schema, FieldsChange]:
        casts = [
            (field.name, caster(targets[field.name], field.schema.kind))
            for field in schema.fields
            if field.name in targets
        ]
        copy = copier(schema, step.options)

        def cast_struct(fields: Fields) -> Fields:
            return _cast_fields(copy(fields), casts, refuse)

        cast_schema = struct_of(
            schema,
            (_cast_field(field, targets.get(field.name), refuse) for field in schema.fields),
            refuse,
            optional=schema.optional,
            default=None if schema.default is None else cast_struct(schema.default),
        )
        return cast_schema, cast_struct

    return change_fields(step, "casting fields", cast_map, compile_schema)


def _cast_fields(fields: Fields, casts: Iterable[tuple[str, Caster]], refuse: Refusal) -> Fields:
    for name, cast_value in casts:
        try:
            fields[name] = cast_value(fields.get(name))
        except CastError as error:
            raise refuse(f"field {name} {error}") from error
    return fields


def _cast_field(field: Field, target: str | None, refuse: Refusal) -> Field:
    if target is None:
        return field
    try:
        default = caster(target, field.schema.kind)(field.schema.default)
    except CastError as error:
        raise refuse(f"the default of field {field.name} {error}") from error
    kind = _KINDS[target]
    return Field(field.name, Schema(kind, optional=field.schema.optional, default=default))


def _cast_whole(target: str, refuse: Refusal) -> Change:
    without_schema = caster(target)
    compiled = SchemaCache(lambda schema: _cast_schema(schema, target))

    def change(value: Any, schema: Schema | None) -> tuple[Any, Schema | None]:
        if value is None:
            return None, schema
        try:
            if schema is None:
                return without_schema(value), None
            cast_schema, cast_value = compiled(schema)
            return cast_value(value), cast_schema
        except CastError as error:
            raise refuse(f"it {error}") from error

    return change


def _cast_schema(schema: Schema, target: str) -> tuple[Schema, Caster]:
    cast_value = caster(target, schema.kind)
    # The name of a logical type says nothing true of the new type.
    kept = schema if schema.name not in _LOGICAL else replace(schema, name=None, version=None)
    cast_schema = Schema(
        _KINDS[target],
        optional=kept.optional,
        name=kept.name,
        version=kept.version,
        default=cast_value(kept.default),
        parameters={} if kept is not schema else kept.parameters,
        doc=kept.doc,
    )
    return cast_schema, cast_value
