"""TimestampConverter: times become texts, numbers since 1970, dates, times of day or timestamps."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.java_dates import date_formatter, date_parser
from frazil.spark_sink.records.model import DATE, TIME, TIMESTAMP, Field, Kind, Record, Schema
from frazil.spark_sink.records.times import date_of, datetime_of, millis_of, time_of
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import Refusal, describe, refusal
from frazil.spark_sink.records.transforms.schemas import SchemaCache, copier, struct_of
from frazil.spark_sink.records.transforms.sides import (
    Change,
    Fields,
    FieldsChange,
    change_fields,
    on_side,
    side_of,
)

_TARGETS = {
    "string": Schema(Kind.STRING),
    "unix": Schema(Kind.INT64),
    "Date": Schema(Kind.INT32, name=DATE, version=1),
    "Time": Schema(Kind.INT32, name=TIME, version=1),
    "Timestamp": Schema(Kind.INT64, name=TIMESTAMP, version=1),
}
# How many there are in a second.
_UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}

Conversion = Callable[[Any], Any]


def timestamp_converter(step: Step) -> Transform:
    """Compile the conversion to `target.type` of one field, or of the whole."""
    refuse = refusal(step)
    field = step.options["field"]
    target = _TARGETS[step.options["target.type"]]
    convert = _conversion(step, f"field {field}" if field else "it", refuse)
    if not field:
        return on_side(step, _whole(convert, target, refuse))

    def convert_map(fields: Fields) -> Fields:
        return {**fields, field: convert(fields.get(field))}

    def compile_schema(schema: Schema) -> tuple[Schema, FieldsChange]:
        copy = copier(schema, step.options)
        has_field = schema.field(field) is not None

        def convert_struct(struct: Fields) -> Fields:
            copied = copy(struct)
            if has_field:
                copied[field] = convert(copied.get(field))
            return copied

        fields = (
            Field(name, _converted(inner, target, f"field {field}", refuse))
            if name == field
            else Field(name, inner)
            for name, inner in schema.fields
        )
        default = None if schema.default is None else convert_struct(schema.default)
        changed = struct_of(schema, fields, refuse, optional=schema.optional, default=default)
        return changed, convert_struct

    convert_fields = change_fields(step, "converting times", convert_map, compile_schema)
    return _after_a_look_at_tombstones(convert_fields, step, refuse)


def _after_a_look_at_tombstones(convert: Transform, step: Step, refuse: Refusal) -> Transform:
    """Refuse tombstones whose schema has no fields, as Connect does: it looks for one in it."""
    read = side_of(step).read

    def transform(record: Record) -> Record | None:
        value, schema = read(record)
        if value is None and schema is not None and schema.kind is not Kind.STRUCT:
            raise refuse(f"there is no field in a schema of {schema.kind}")
        return convert(record)

    return transform


def _whole(convert: Conversion, target: Schema, refuse: Refusal) -> Change:
    compiled = SchemaCache(lambda schema: _converted(schema, target, "it", refuse))

    def change(value: Any, schema: Schema | None) -> tuple[Any, Schema | None]:
        return convert(value), None if schema is None else compiled(schema)

    return change


def _converted(schema: Schema, target: Schema, subject: str, refuse: Refusal) -> Schema:
    """Return the schema of converted values, if those of this schema are times."""
    is_time = schema.name in {TIMESTAMP, DATE, TIME}
    if not is_time and schema.kind not in {Kind.STRING, Kind.INT64}:
        raise refuse(f"{subject} is no time: its schema is {schema.kind}")
    return replace(target, optional=schema.optional)


def _conversion(step: Step, subject: str, refuse: Refusal) -> Conversion:
    pattern = step.options["format"].strip() and step.options["format"]
    unit = _UNITS[step.options["unix.precision"]]
    sources = _sources(pattern, unit)
    write = _target(step.options["target.type"], pattern, unit)

    def convert(value: Any) -> Any:
        if value is None:
            return None
        source = sources.get(type(value))
        if source is None:
            raise refuse(f"{subject} is {describe(value)}, which is no time")
        try:
            return write(source(value))
        except OverflowError as error:
            raise refuse(f"{subject} is beyond the years 1 to 9999: {value}") from error
        except ValueError as error:
            raise refuse(f"{subject} is no time: {error}") from error

    return convert


def _sources(pattern: str, unit: int) -> dict[type, Callable[[Any], int]]:
    """Return for each type how its values become milliseconds."""
    return {
        str: date_parser(pattern) if pattern else _refuse_text,
        int: lambda value: _scale(value, 1000, unit),
        datetime: millis_of,
        date: millis_of,
        time: millis_of,
    }


def _refuse_text(_: str) -> int:
    raise ValueError("it is a string, and there is no format")


def _target(target: str, pattern: str, unit: int) -> Callable[[int], Any]:
    if target == "string":
        return date_formatter(pattern)
    if target == "unix":
        return lambda millis: _scale(millis, unit, 1000)
    return {"Date": date_of, "Time": time_of, "Timestamp": datetime_of}[target]


def _scale(value: int, new: int, old: int) -> int:
    """Count in another unit; like Java, cut towards zero."""
    if new >= old:
        return value * (new // old)
    step = old // new
    return value // step if value >= 0 else -(-value // step)
