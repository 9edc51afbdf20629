"""Flatten: fields of inner structs and maps move up, under names that are joined."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Field, Kind, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import Refusal, refusal
from frazil.spark_sink.records.transforms.schemas import struct_of
from frazil.spark_sink.records.transforms.sides import Fields, FieldsChange, change_fields


def flatten(step: Step) -> Transform:
    """Compile the names that `delimiter` joins; arrays are kept as they are."""
    delimiter = step.options["delimiter"]
    refuse = refusal(step)

    def flatten_map(fields: Fields) -> Fields:
        flat: Fields = {}
        _move_up(fields, "", delimiter, flat)
        return flat

    def compile_schema(schema: Schema) -> tuple[Schema, FieldsChange]:
        fields = _flat_fields(schema, "", delimiter, refuse, schema.optional, schema.default)
        leaves = list(_leaves(schema, (), "", delimiter))
        outer = struct_of(schema, fields, refuse)

        def flatten_struct(struct: Fields) -> Fields:
            return {
                flat: _value_at(struct, parents, name, default)
                for flat, parents, name, default in leaves
            }

        return outer, flatten_struct

    return change_fields(step, "flattening", flatten_map, compile_schema)


def _move_up(fields: Fields, prefix: str, delimiter: str, flat: Fields) -> None:
    for key, value in fields.items():
        name = prefix + key
        if isinstance(value, dict):
            _move_up(value, name + delimiter, delimiter, flat)
        else:
            flat[name] = value


def _leaves(
    schema: Schema, parents: tuple[str, ...], prefix: str, delimiter: str
) -> Iterator[tuple[str, tuple[str, ...], str, Any]]:
    for name, inner in schema.fields:
        if inner.kind is Kind.STRUCT:
            yield from _leaves(inner, (*parents, name), prefix + name + delimiter, delimiter)
        else:
            yield prefix + name, parents, name, inner.default


def _value_at(struct: Fields, parents: tuple[str, ...], name: str, default: Any) -> Any:
    """Return a leaf's value; its default counts only in a struct that is there."""
    inner: Any = struct
    for parent in parents:
        inner = inner.get(parent)
        if inner is None:
            return None
    value = inner.get(name)
    return default if value is None else value


def _flat_fields(
    schema: Schema,
    prefix: str,
    delimiter: str,
    refuse: Refusal,
    optional: bool,
    defaults: Fields | None,
) -> Iterator[Field]:
    """List the fields; those inside of something optional are optional, and have its defaults."""
    for name, inner in schema.fields:
        flat, is_optional = prefix + name, optional or inner.optional
        default = inner.default if inner.default is not None else (defaults or {}).get(name)
        if inner.kind is Kind.MAP:
            raise refuse(f"flattening cannot take the map {flat}, which has a schema")
        if inner.kind is Kind.STRUCT:
            yield from _flat_fields(
                inner, flat + delimiter, delimiter, refuse, is_optional, default
            )
        else:
            yield Field(flat, replace(inner, optional=is_optional, default=default))
