"""SetSchemaMetadata: the schema of the key or the value gets another name or version."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache, copier
from frazil.spark_sink.records.transforms.sides import on_side


def set_schema_metadata(step: Step) -> Transform:
    """Compile `schema.name` and `schema.version`."""
    refuse = refusal(step)
    names = {"name": step.options["schema.name"], "version": step.options["schema.version"]}
    changes = {key: option for key, option in names.items() if option is not None}

    def compile_schema(schema: Schema) -> tuple[Schema, Callable[[Any], Any]]:
        is_struct = schema.kind is Kind.STRUCT
        copy = copier(schema, step.options) if is_struct else lambda value: value
        return replace(schema, **changes), copy

    compiled = SchemaCache(compile_schema)

    def rename(value: Any, schema: Schema | None) -> tuple[Any, Schema | None]:
        if schema is None:
            if value is None:
                return None, None
            raise refuse("a schema is required to update its metadata")
        renamed, copy = compiled(schema)
        return None if value is None else copy(value), renamed

    return on_side(step, rename)
