"""CopyValue: copy a field of the value to another field."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Field, Record, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.iceberg_refusals import iceberg_refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache, struct_of
from frazil.spark_sink.records.transforms.sides import fields_of


def copy_value(step: Step) -> Transform:
    """Compile the transform."""
    source: str = step.options["source.field"]
    target: str = step.options["target.field"]
    refuse = iceberg_refusal(step)

    def with_copy(schema: Schema) -> Schema:
        field = schema.field(source)
        if field is None:
            raise refuse(f"field {source} cannot be copied, the struct has none")
        return struct_of(schema, (*schema.fields, Field(target, field.schema)), refuse)

    schemas = SchemaCache(with_copy)

    def copy(record: Record) -> Record:
        if record.value is None:
            return record
        schema = record.value_schema
        fields = fields_of(record.value, schema, "copying a value", refuse)
        new_schema = None if schema is None else schemas(schema)
        return record.with_value({**fields, target: fields.get(source)}, new_schema)

    return copy
