"""MaskField: values of fields are replaced by an empty one, or by a fixed text or number."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.casting import CastError, caster
from frazil.spark_sink.records.transforms.refusals import describe, refusal
from frazil.spark_sink.records.transforms.schemas import copier
from frazil.spark_sink.records.transforms.sides import Fields, FieldsChange, change_fields

Mask = Callable[[Any], Any]

_EMPTY: dict[type, Any] = {
    bool: False,
    int: 0,
    float: 0.0,
    Decimal: Decimal(0),
    str: "",
    date: date(1970, 1, 1),
    time: time(0),
    datetime: datetime(1970, 1, 1, tzinfo=UTC),
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_TARGETS = {
    Kind.INT8: "int8",
    Kind.INT16: "int16",
    Kind.INT32: "int32",
    Kind.INT64: "int64",
    Kind.FLOAT32: "float32",
}


def mask_field(step: Step) -> Transform:
    """Compile the names in `fields` and the `replacement`."""
    names = tuple(dict.fromkeys(step.options["fields"]))
    replacement = step.options["replacement"]
    refuse = refusal(step)

    def mask_all(fields: Fields, masks: list[tuple[str, Mask]]) -> Fields:
        for name, mask in masks:
            try:
                fields[name] = mask(fields.get(name))
            except CastError as error:
                raise refuse(f"field {name} {error}") from error
        return fields

    masks = [(name, _mask(replacement, None)) for name in names]

    def mask_map(fields: Fields) -> Fields:
        return mask_all(fields.copy(), masks)

    def compile_schema(schema: Schema) -> tuple[Schema, FieldsChange]:
        masks = [
            (field.name, _mask(replacement, field.schema))
            for field in schema.fields
            if field.name in names
        ]
        copy = copier(schema, step.options)
        return schema, lambda struct: mask_all(copy(struct), masks)

    return change_fields(step, "masking fields", mask_map, compile_schema, skip_null=False)


def _mask(replacement: str | None, schema: Schema | None) -> Mask:
    if replacement is None:
        return _empty_of(schema)
    by_type = _replacements(replacement, schema)

    def mask(value: Any) -> Any:
        if value is None:
            return None
        if type(value) not in by_type:
            raise CastError(f"is {describe(value)}, which {replacement!r} cannot mask")
        return by_type[type(value)]

    return mask


def _empty_of(schema: Schema | None) -> Mask:
    is_struct = schema is not None and schema.kind is Kind.STRUCT

    def mask(value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, list):
            return []
        if isinstance(value, dict) and not is_struct:
            return {}
        if type(value) not in _EMPTY:
            words = "a struct" if is_struct else describe(value)
            raise CastError(f"is {words}, which cannot be masked")
        return _EMPTY[type(value)]

    return mask


def _replacements(replacement: str, schema: Schema | None) -> dict[type, Any]:
    """Convert the replacement to each type that it can mask."""
    if _NUMBER.fullmatch(replacement) is None:
        return {str: replacement}
    number = Decimal(replacement)
    single = schema is not None and schema.kind is Kind.FLOAT32
    values = {
        str: replacement,
        float: caster("float32" if single else "float64")(number),
        Decimal: number,
    }
    # A number too large for the field masks no integers.
    with suppress(CastError):
        values[int] = caster(_TARGETS.get(schema.kind, "int64") if schema else "int64")(number)
    return values
