"""The side of a record that a transform changes, and the fields of its map or struct."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Kind, Record, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import Refusal, describe, refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache

Fields = dict[str, Any]
FieldsChange = Callable[[Fields], Fields]
Change = Callable[[Any, Schema | None], tuple[Any, Schema | None]]


class Side(NamedTuple):
    """The key or the value of a record, each with its schema."""

    read: Callable[[Record], tuple[Any, Schema | None]]
    replace: Callable[[Record, Any, Schema | None], Record]


_SIDES = {
    "Key": Side(attrgetter("key", "key_schema"), Record.with_key),
    "Value": Side(attrgetter("value", "value_schema"), Record.with_value),
}


def side_of(step: Step) -> Side:
    """Return the side that a step is for; a class without sides has the value's."""
    return _SIDES[step.side or "Value"]


def on_side(step: Step, change: Change) -> Transform:
    """Change a record's key or value together with its schema."""
    read, replace = side_of(step)

    def transform(record: Record) -> Record:
        value, schema = change(*read(record))
        return replace(record, value, schema)

    return transform


def fields_of(value: Any, schema: Schema | None, purpose: str, refuse: Refusal) -> Fields:
    """Require a map, or with a schema a struct, and return its fields."""
    if not isinstance(value, dict):
        raise refuse(f"{purpose} needs a map or a struct, not {describe(value)}")
    if schema is not None and schema.kind is not Kind.STRUCT:
        raise refuse(f"{purpose} needs a struct where there is a schema, not {schema.kind}")
    return value


def change_fields(
    step: Step,
    purpose: str,
    change: FieldsChange,
    compile_schema: Callable[[Schema], tuple[Schema, FieldsChange]],
    *,
    skip_null: bool = True,
) -> Transform:
    """Change the fields of maps, and those of structs by what was compiled for their schema."""
    refuse = refusal(step)
    compiled = SchemaCache(compile_schema)

    def change_side(value: Any, schema: Schema | None) -> tuple[Any, Schema | None]:
        if value is None and skip_null:
            return None, schema
        fields = fields_of(value, schema, purpose, refuse)
        if schema is None:
            return change(fields), None
        new_schema, change_struct = compiled(schema)
        return change_struct(fields), new_schema

    return on_side(step, change_side)
