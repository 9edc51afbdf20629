"""HeaderFrom: fields are copied or moved into headers."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Header, Record, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import Refusal, refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache, copier, struct_of
from frazil.spark_sink.records.transforms.sides import fields_of, side_of


def header_from(step: Step) -> Transform:
    """Compile `fields` and the names of their `headers`."""
    read, put = side_of(step)
    refuse = refusal(step)
    moves = step.options["operation"] == "move"
    pairs = list(zip(step.options["fields"], step.options["headers"], strict=True))
    sources = frozenset(step.options["fields"])
    kept_of = SchemaCache(lambda schema: _schema_without(schema, sources, refuse))
    copy_of = SchemaCache(lambda schema: copier(schema, step.options))

    def transform(record: Record) -> Record:
        value, schema = read(record)
        fields = fields_of(value, schema, "taking headers from fields", refuse)
        filled = fields if schema is None else copy_of(schema)(fields)
        headers = [
            Header(header, filled.get(name), _field_schema(schema, name, refuse))
            for name, header in pairs
        ]
        changed = record.with_headers((*record.headers, *headers))
        if not moves:
            return changed
        left = filled.copy()
        for name in sources:
            left.pop(name, None)
        return put(changed, left, None if schema is None else kept_of(schema))

    return transform


def _field_schema(schema: Schema | None, name: str, refuse: Refusal) -> Schema | None:
    if schema is None:
        return None
    field = schema.field(name)
    if field is None:
        raise refuse(f"the schema has no field {name} for a header")
    return field.schema


def _schema_without(schema: Schema, names: frozenset[str], refuse: Refusal) -> Schema:
    return struct_of(schema, (field for field in schema.fields if field.name not in names), refuse)
