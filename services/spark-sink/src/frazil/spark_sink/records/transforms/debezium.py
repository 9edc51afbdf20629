"""DebeziumTransform: make rows of Debezium's changes, and tell of the change in `_cdc`."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import TIMESTAMP, Field, Kind, Record, Schema
from frazil.spark_sink.records.texts import text_of
from frazil.spark_sink.records.times import datetime_of
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.iceberg_refusals import iceberg_refusal
from frazil.spark_sink.records.transforms.refusals import Refusal, describe
from frazil.spark_sink.records.transforms.schemas import SchemaCache, struct_of
from frazil.spark_sink.records.transforms.sides import fields_of

_PURPOSE = "lifting a change of Debezium"
_CDC = "_cdc"
# Creations, reads of a snapshot and all other operations insert.
_OPERATIONS = {"u": "U", "d": "D"}
_STRING = Schema(Kind.STRING)
_CDC_FIELDS = (
    Field("op", _STRING),
    Field("ts", Schema(Kind.INT64, name=TIMESTAMP, version=1)),
    Field("offset", Schema(Kind.INT64, optional=True)),
    Field("source", _STRING),
    Field("target", _STRING),
)

_Target = Callable[[str | None, str | None], str]


def debezium(step: Step) -> Transform:
    """Compile the transform."""
    refuse = iceberg_refusal(step)
    target = _target(step.options["cdc.target.pattern"], refuse)
    lift_map = _map_lift(target, refuse)
    lift_struct = _struct_lift(target, refuse)

    def lift(record: Record) -> Record | None:
        if record.value is None:
            return record
        return lift_map(record) if record.value_schema is None else lift_struct(record)

    return lift


def _map_lift(target: _Target, refuse: Refusal) -> Transform:
    def name(source: Mapping[str, Any], field: str) -> str:
        if source.get(field) is None:
            raise refuse(f"the source of the change has no {field}")
        return text_of(source[field])

    def lift(record: Record) -> Record | None:
        value = fields_of(record.value, None, _PURPOSE, refuse)
        operation = _operation(value.get("op"), refuse)
        row = value.get("before" if operation == "D" else "after")
        if not isinstance(row, dict):
            return None
        source = fields_of(value.get("source"), None, _PURPOSE, refuse)
        db = name(source, "schema" if "schema" in source else "db")
        table = name(source, "table")
        cdc = {
            "op": operation,
            "ts": value.get("ts_ms"),
            "offset": record.source.offset,
            "source": f"{db}.{table}",
            "target": target(db, table),
        }
        if isinstance(record.key, dict) and not _is_struct(record.key_schema):
            cdc["key"] = record.key
        return record.with_value({**row, _CDC: cdc}, None)

    return lift


def _struct_lift(target: _Target, refuse: Refusal) -> Transform:
    def with_cdc(row: Schema, key: Schema | None = None) -> Schema:
        fields = _CDC_FIELDS if key is None else (*_CDC_FIELDS, Field("key", key))
        cdc = Field(_CDC, Schema(Kind.STRUCT, fields=fields))
        return struct_of(row, (*row.fields, cdc), refuse)

    without_key = SchemaCache(with_cdc)
    with_key = SchemaCache(lambda row: SchemaCache(partial(with_cdc, row)))

    def lift(record: Record) -> Record:
        schema, key_schema = record.value_schema, record.key_schema
        value = fields_of(record.value, schema, _PURPOSE, refuse)
        operation = _operation(value.get("op"), refuse)
        row, row_schema = _struct(value, schema, "before" if operation == "D" else "after", refuse)
        source, source_schema = _struct(value, schema, "source", refuse)
        db = source.get("schema" if source_schema.field("schema") else "db")
        table = source.get("table")
        cdc = {
            "op": operation,
            "ts": _moment(value.get("ts_ms"), refuse),
            "offset": record.source.offset,
            "source": f"{text_of(db)}.{text_of(table)}",
            "target": target(db, table),
        }
        if key_schema is None:
            return record.with_value({**row, _CDC: cdc}, without_key(row_schema))
        if record.key is None and not key_schema.optional:
            raise refuse("the record has no key, and the key's schema requires one")
        cdc["key"] = record.key
        return record.with_value({**row, _CDC: cdc}, with_key(row_schema)(key_schema))

    return lift


def _operation(value: Any, refuse: Refusal) -> str:
    if value is None:
        raise refuse("the value has no `op`, so it is no change of Debezium's")
    return _OPERATIONS.get(text_of(value), "I")


def _struct(
    value: Mapping[str, Any], schema: Schema | None, name: str, refuse: Refusal
) -> tuple[dict[str, Any], Schema]:
    field = schema.field(name) if schema else None
    struct = value.get(name)
    if field is None or not _is_struct(field.schema) or not isinstance(struct, dict):
        raise refuse(f"`{name}` of the change is not a struct, but {describe(struct)}")
    return struct, field.schema


def _is_struct(schema: Schema | None) -> bool:
    return schema is not None and schema.kind is Kind.STRUCT


def _moment(millis: Any, refuse: Refusal) -> datetime:
    if type(millis) is not int:
        raise refuse(f"`ts_ms` of the change is not an integer, but {describe(millis)}")
    try:
        return datetime_of(millis)
    except OverflowError as error:
        raise refuse(f"`ts_ms` of the change is beyond the years 1 to 9999: {millis}") from error


def _target(pattern: str | None, refuse: Refusal) -> _Target:
    """Compile the pattern of `_cdc.target`."""
    if not pattern:
        return lambda db, table: f"{text_of(db)}.{text_of(table)}"

    def target(db: str | None, table: str | None) -> str:
        if db is None or table is None:
            raise refuse("the source of the change lacks a name that cdc.target.pattern needs")
        return pattern.replace("{db}", db).replace("{table}", table)

    return target
