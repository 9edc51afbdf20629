"""HoistField: the whole key or value becomes the single field of a new struct or map."""

from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Field, Kind, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache
from frazil.spark_sink.records.transforms.sides import on_side


def hoist_field(step: Step) -> Transform:
    """Compile the name in `field`."""
    name = step.options["field"]
    refuse = refusal(step)
    outer = SchemaCache(lambda schema: Schema(Kind.STRUCT, fields=(Field(name, schema),)))

    def hoist(value: Any, schema: Schema | None) -> tuple[Any, Schema | None]:
        if schema is None:
            return {name: value}, None
        if value is None and not schema.optional:
            raise refuse(f"field {name} would be null, and its schema requires a value")
        return {name: value}, outer(schema)

    return on_side(step, hoist)
