"""Arrays of what typed decoding gives, a column at once.

What a bulk conversion cannot do is left to the plain functions, value by value.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from frazil.spark_sink.records.errors import RecordError
from frazil.spark_sink.records.schema.types import List, Primitive, Type
from frazil.spark_sink.tasks.arrow_types import arrow_type
from frazil.spark_sink.tasks.columns import ROW_FORMS, Builder, OddValuesError, builder

Converts = Callable[[Type], Callable[[Any], Any]]
"""Compiles the plain conversion of values of a type that are not null; it raises RecordError."""

_Parse = Callable[[pa.Array], pa.Array | None]

DECODED = frozenset(["boolean", "int", "long", "double", "string", "binary", "fixed"])
_MILLISECOND = {"us": 1_000, "ns": 1_000_000}
# Shorter texts may have forms that only Arrow reads, such as an hour without minutes.
_SHORTEST = {"UTC": len("2026-01-01T00:00:00Z"), None: len("2026-01-01T00:00:00")}
_LONGEST_MICROSECONDS = {
    "UTC": len("2026-01-01T00:00:00.000000Z"),
    None: len("2026-01-01T00:00:00.000000"),
}
_DATE = r"^\d{4}-\d\d-\d\d$"
# Years of nanoseconds since the epoch, which 64 bits can count.
_TIMESTAMP = r"^(?:19[7-9]\d|2[01]\d\d|22[0-5]\d)-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?"
_ZONE = r"(?:Z|[+-]\d\d:\d\d)"


def primitive_builder(kind: Primitive, converts: Converts | None) -> Builder:
    """Compile the builder of a primitive type; without `converts`, odd values are refused."""
    target, rest = arrow_type(kind), plain_builder(kind, converts)
    if kind.name in DECODED:
        return partial(pa.array, type=target)
    if kind.name == "float":
        return partial(_floats, rest)
    if kind.name == "date":
        return _time_builder(partial(_cast, target), _DATE, partial(_days, target), rest)
    if pa.types.is_timestamp(target):
        pattern = f"{_TIMESTAMP}{_ZONE if target.tz else ''}$"
        return _time_builder(
            partial(_timestamps, target), pattern, partial(_milliseconds, target), rest
        )
    return rest


def plain_builder(kind: Type, converts: Converts | None) -> Builder:
    """Compile a builder that leaves all values to the plain functions, and refuses misfits."""
    if converts is None:
        return _refuse
    rows, convert_each, convert = builder(kind, ROW_FORMS), converts(List(kind)), converts(kind)

    def build(values: Sequence[Any]) -> pa.Array:
        try:
            return rows(convert_each(list(values)))
        except RecordError:
            pass
        odd = []
        for position, value in enumerate(values):
            try:
                if value is not None:
                    convert(value)
            except RecordError:
                odd.append(position)
        raise OddValuesError(odd)

    return build


def text_builder(converts: Converts) -> Builder:
    """Compile a builder of texts, among which may be values of other types."""
    text = Primitive("string")
    convert_each, rest = converts(List(text)), plain_builder(text, converts)

    def build(values: Sequence[Any]) -> pa.Array:
        try:
            return pa.array(values, pa.string())
        except pa.ArrowTypeError:
            others = [at for at, value in enumerate(values) if value.__class__ is not str]
        texts = list(values)
        try:
            converted = convert_each([values[at] for at in others])
        except RecordError:
            return rest(values)
        for at, rendered in zip(others, converted, strict=True):
            texts[at] = rendered
        return pa.array(texts, pa.string())

    return build


def _refuse(values: Sequence[Any]) -> pa.Array:
    raise OddValuesError([at for at, value in enumerate(values) if value is not None])


def _floats(rest: Builder, values: Sequence[Any]) -> pa.Array:
    """Round to 32 bits; JSON has no infinite numbers, so these are beyond the range."""
    array = pa.array(values, pa.float32())
    return rest(values) if pc.any(pc.is_inf(array)).as_py() else array


def _time_builder(
    of_texts: _Parse, pattern: str, of_numbers: Callable[[pa.Array], pa.Array], rest: Builder
) -> Builder:
    def build(values: Sequence[Any]) -> pa.Array:
        try:
            texts = pa.array(values, pa.string())
        except pa.ArrowTypeError:
            return numbers(values)
        array = of_texts(texts)
        if array is not None:
            return array
        usual = pc.match_substring_regex(texts, pattern)
        array = of_texts(pc.if_else(usual, texts, None))
        if array is None:
            return rest(values)
        others = [
            None if fits else value for value, fits in zip(values, usual.to_pylist(), strict=True)
        ]
        return pc.coalesce(array, rest(others))

    def numbers(values: Sequence[Any]) -> pa.Array:
        try:
            return of_numbers(pa.array(values, pa.int64()))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            return rest(values)

    return build


def _timestamps(target: pa.DataType, texts: pa.Array) -> pa.Array | None:
    """Parse texts that all have a zone, or all have none: such a clock is in UTC.

    Each text that Arrow refuses costs as much as twenty that it takes, so that the first one and
    the lengths decide what is tried.
    """
    lengths = pc.min_max(pc.binary_length(texts)).as_py()
    if lengths["max"] is None:
        return texts.cast(target)
    zone = _zone(target, texts)
    if lengths["min"] < _SHORTEST[zone]:
        return None
    array = None
    if target.unit == "ns" or lengths["max"] > _LONGEST_MICROSECONDS[zone]:
        array = _cut(target.unit, _cast(pa.timestamp("ns", zone), texts))
    if array is None and target.unit == "us":
        array = _cast(pa.timestamp("us", zone), texts)
    return None if array is None else array.cast(target)


def _zone(target: pa.DataType, texts: pa.Array) -> str | None:
    """Say which zone to parse; a column without zones has the clock's time, which is UTC's at Z."""
    first = next(text for text in texts if text.is_valid).as_py()
    if target.tz is None:
        return "UTC" if pc.all(pc.ends_with(texts, "Z")).as_py() else None
    return "UTC" if first.endswith("Z") or first[-6:-5] in ("+", "-") else None


def _cut(unit: str, nanoseconds: pa.Array | None) -> pa.Array | None:
    """Cut timestamps to a unit, but for those before the epoch, which Arrow would round up."""
    if nanoseconds is None or unit == "ns":
        return nanoseconds
    if (pc.min(nanoseconds.cast(pa.int64())).as_py() or 0) < 0:
        return None
    return nanoseconds.cast(pa.timestamp(unit, nanoseconds.type.tz), safe=False)


def _milliseconds(target: pa.DataType, numbers: pa.Array) -> pa.Array:
    return pc.multiply_checked(numbers, _MILLISECOND[target.unit]).cast(target)


def _days(target: pa.DataType, numbers: pa.Array) -> pa.Array:
    return numbers.cast(pa.int32()).cast(target)


def _cast(target: pa.DataType, texts: pa.Array) -> pa.Array | None:
    try:
        return texts.cast(target)
    except pa.ArrowInvalid:
        return None
