"""InsertField: fields with the topic, the partition, the offset, the time, or a fixed text."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.forms import MarkedName
from frazil.spark_sink.records.model import TIMESTAMP, Field, Kind, Record, Schema
from frazil.spark_sink.records.times import datetime_of
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import Refusal, refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache, copier, struct_of
from frazil.spark_sink.records.transforms.sides import Fields, fields_of, side_of


class _Insertion(NamedTuple):
    """A new field: how a map gets its value, how a struct does, and its schema there."""

    name: str
    plain: Callable[[Record], Any]
    typed: Callable[[Record], Any]
    schema: Schema


def insert_field(step: Step) -> Transform:
    """Compile the names of the new fields."""
    read, put = side_of(step)
    refuse = refusal(step)
    insertions = list(_insertions(step))
    new_fields = [Field(name, schema) for name, _, _, schema in insertions]

    def compile_schema(schema: Schema) -> tuple[Schema, Callable[[Fields], Fields]]:
        outer = struct_of(schema, (*schema.fields, *new_fields), refuse)
        return outer, copier(schema, step.options)

    compiled = SchemaCache(compile_schema)

    def transform(record: Record) -> Record:
        value, schema = read(record)
        if value is None:
            return record
        fields = fields_of(value, schema, "inserting fields", refuse)
        if schema is None:
            return put(record, fields | _plain_values(insertions, record), None)
        outer, copy = compiled(schema)
        struct = copy(fields)
        for name, _, typed, _ in insertions:
            struct[name] = typed(record)
        return put(record, struct, outer)

    return transform


def _plain_values(insertions: list[_Insertion], record: Record) -> Fields:
    return {name: value for name, plain, _, _ in insertions if (value := plain(record)) is not None}


def _insertions(step: Step) -> Iterator[_Insertion]:
    refuse = refusal(step)
    text = step.options["static.value"]

    def moment(record: Record) -> datetime | None:
        return None if record.timestamp is None else _moment(record.timestamp, refuse)

    topic, at = attrgetter("topic"), attrgetter("timestamp")
    partition, offset = attrgetter("source.partition"), attrgetter("source.offset")
    for option, plain, typed, schema in (
        ("topic.field", topic, topic, Schema(Kind.STRING)),
        ("partition.field", partition, partition, Schema(Kind.INT32)),
        ("offset.field", offset, offset, Schema(Kind.INT64)),
        ("timestamp.field", at, moment, Schema(Kind.INT64, name=TIMESTAMP, version=1)),
        ("static.field", lambda _: text, lambda _: text, Schema(Kind.STRING)),
    ):
        if step.options[option]:
            marked = MarkedName.of(step.options[option])
            optional = replace(schema, optional=not marked.required)
            yield _Insertion(marked.name, plain, typed, optional)


def _moment(millis: int, refuse: Refusal) -> datetime:
    try:
        return datetime_of(millis)
    except OverflowError as error:
        raise refuse(f"the record's time {millis} is beyond the years 1 to 9999") from error
