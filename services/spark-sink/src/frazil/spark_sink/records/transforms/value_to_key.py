"""ValueToKey: fields of the value become the key."""

from collections.abc import Callable

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Kind, Record, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import Refusal, refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache, copier
from frazil.spark_sink.records.transforms.sides import Fields, fields_of


def value_to_key(step: Step) -> Transform:
    """Compile the names in `fields`."""
    names = tuple(dict.fromkeys(step.options["fields"]))
    refuse = refusal(step)

    def compile_schema(schema: Schema) -> tuple[Schema, Callable[[Fields], Fields]]:
        return _key_schema(schema, names, refuse), copier(schema, step.options)

    compiled = SchemaCache(compile_schema)

    def transform(record: Record) -> Record:
        schema = record.value_schema
        fields = fields_of(record.value, schema, "copying fields from value to key", refuse)
        if schema is None:
            return record.with_key({name: fields.get(name) for name in names}, None)
        key_schema, copy = compiled(schema)
        filled = copy(fields)
        return record.with_key({name: filled.get(name) for name in names}, key_schema)

    return transform


def _key_schema(schema: Schema, names: tuple[str, ...], refuse: Refusal) -> Schema:
    fields = [schema.field(name) for name in names]
    if None in fields:
        raise refuse(f"the value's schema has no field {names[fields.index(None)]}")
    return Schema(Kind.STRUCT, fields=tuple(field for field in fields if field is not None))
