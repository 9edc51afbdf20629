"""Flatten: fields of inner structs and maps move up, under names that are joined."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
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
        try:
            _move_up(fields, "", delimiter, flat)
        except RecursionError as error:
            raise refuse("the value is nested too deeply for flattening") from error
        return flat

    def compile_schema(schema: Schema) -> tuple[Schema, FieldsChange]:
        fields = _flat_fields(schema, "", delimiter, refuse, schema.optional, schema.default)
        return struct_of(schema, fields, refuse), _struct_flattening(schema, delimiter)

    return change_fields(step, "flattening", flatten_map, compile_schema)


def _move_up(fields: Fields, prefix: str, delimiter: str, flat: Fields) -> None:
    for key, value in fields.items():
        name = prefix + key
        if isinstance(value, dict):
            _move_up(value, name + delimiter, delimiter, flat)
        else:
            flat[name] = value


def _struct_flattening(schema: Schema, delimiter: str) -> FieldsChange:
    """Compile the way to each leaf; those of one struct stand together."""
    structs = [
        (parents, [(flat, name, default) for _, flat, name, default in leaves])
        for parents, leaves in groupby(_leaves(schema, (), "", delimiter), itemgetter(0))
    ]

    def flatten_struct(struct: Fields) -> Fields:
        flattened: Fields = {}
        for parents, leaves in structs:
            inner: Any = struct
            for parent in parents:
                inner = None if inner is None else inner.get(parent)
            if inner is None:
                # Defaults of fields count only in a struct that is there.
                flattened.update(dict.fromkeys(flat for flat, _, _ in leaves))
                continue
            for flat, name, default in leaves:
                value = inner.get(name)
                flattened[flat] = default if value is None else value
        return flattened

    return flatten_struct


def _leaves(
    schema: Schema, parents: tuple[str, ...], prefix: str, delimiter: str
) -> Iterator[tuple[tuple[str, ...], str, str, Any]]:
    """List the fields that are no structs: where they are, their flat names, names, defaults."""
    for name, inner in schema.fields:
        if inner.kind is Kind.STRUCT:
            yield from _leaves(inner, (*parents, name), prefix + name + delimiter, delimiter)
        else:
            yield parents, prefix + name, name, inner.default


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
