"""ExtractField: one field becomes the whole key or value."""

from collections.abc import Sequence
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.forms import path_of
from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import Refusal, refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache
from frazil.spark_sink.records.transforms.sides import Change, fields_of, on_side

_PURPOSE = "field extraction"


def extract_field(step: Step) -> Transform:
    """Compile the path in `field`."""
    path = path_of(step.options["field"], step.options["field.syntax.version"])
    fills_last = step.options["replace.null.with.default"]
    return on_side(step, _extraction(path, refusal(step), fills_last=fills_last))


def _extraction(path: Sequence[str], refuse: Refusal, *, fills_last: bool) -> Change:
    compiled = SchemaCache(lambda schema: _steps(schema, path, refuse, fills_last=fills_last))
    plain = [(name, None) for name in path]

    def extract(value: Any, schema: Schema | None) -> tuple[Any, Schema | None]:
        if schema is None:
            return _follow(value, plain, refuse), None
        target, steps = compiled(schema)
        return _follow(value, steps, refuse), target

    return extract


def _follow(value: Any, steps: Sequence[tuple[str, Any]], refuse: Refusal) -> Any:
    for name, default in steps:
        if value is None:
            return None
        value = fields_of(value, None, _PURPOSE, refuse).get(name)
        if value is None:
            value = default
    return value


def _steps(
    schema: Schema, path: Sequence[str], refuse: Refusal, *, fills_last: bool
) -> tuple[Schema, list[tuple[str, Any]]]:
    """Find the field's schema, and the default at each step of the path."""
    steps = []
    for number, name in enumerate(path, start=1):
        if schema.kind is not Kind.STRUCT:
            raise refuse(f"{_PURPOSE} needs a struct where there is a schema, not {schema.kind}")
        field = schema.field(name)
        if field is None:
            raise refuse(f"the schema has no field {'.'.join(path)}")
        schema = field.schema
        fills = fills_last or number < len(path)
        steps.append((name, schema.default if fills else None))
    return schema, steps
