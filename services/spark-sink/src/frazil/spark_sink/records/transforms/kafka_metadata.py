"""KafkaMetadataTransform: add topic, partition, offset and time of a record to its value."""

from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Field, Kind, Record, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.iceberg_refusals import iceberg_refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache, struct_of
from frazil.spark_sink.records.transforms.sides import fields_of

_STRING = Schema(Kind.STRING)


def kafka_metadata(step: Step) -> Transform:
    """Compile the transform."""
    refuse = iceberg_refusal(step)
    name: str = step.options["field_name"]
    nested: bool = step.options["nested"]
    prefix = "" if nested else f"{name}_"
    external = _external(step.options["external_field"], prefix)
    topic, partition = f"{prefix}topic", f"{prefix}partition"
    offset, timestamp = f"{prefix}offset", f"{prefix}timestamp"
    added: tuple[Field, ...] = (
        Field(topic, _STRING),
        Field(partition, Schema(Kind.INT32)),
        Field(offset, Schema(Kind.INT64)),
        Field(timestamp, Schema(Kind.INT64, optional=True)),
        *(Field(word, _STRING) for word in external),
    )
    if nested:
        added = (Field(name, Schema(Kind.STRUCT, fields=added)),)
    schemas = SchemaCache(lambda schema: struct_of(schema, (*schema.fields, *added), refuse))

    def metadata(record: Record) -> dict[str, Any]:
        place = {
            topic: record.topic,
            partition: record.source.partition,
            offset: record.source.offset,
            timestamp: record.timestamp,
            **external,
        }
        return {name: place} if nested else place

    def add(record: Record) -> Record:
        if record.value is None:
            return record
        schema = record.value_schema
        fields = fields_of(record.value, schema, "adding Kafka's metadata", refuse)
        new_schema = None if schema is None else schemas(schema)
        return record.with_value({**fields, **metadata(record)}, new_schema)

    return add


def _external(text: str | None, prefix: str) -> dict[str, str]:
    if text is None:
        return {}
    name, value = text.split(",")
    return {f"{prefix}{name}": value}
