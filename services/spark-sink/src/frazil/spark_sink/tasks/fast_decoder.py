"""Typed decoding of JSON, compiled from a table's schema: an optimisation, and nothing else.

A record that is taken has the very row that the plain functions give. All others are odd, and
theirs: other types, missing required columns, unknown fields where the schema may evolve, and what
JSON forbids.
"""

import gc
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

import msgspec
import pyarrow as pa
from msgspec import Meta
from msgspec.structs import astuple

from frazil.spark_sink.records.schema.types import List, Map, Primitive, Struct, Type, leaves
from frazil.spark_sink.tasks.arrow_types import arrow_schema
from frazil.spark_sink.tasks.bulk import (
    DECODED,
    Convert,
    plain_builder,
    primitive_builder,
    text_builder,
)
from frazil.spark_sink.tasks.columns import (
    Builder,
    Forms,
    OddValuesError,
    builder,
    transpose,
)

Converts = Callable[[Type], Convert]

_ANY = str | int | float | bool | list[Any] | dict[str, Any]
_TIME = str | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
_TYPES: dict[str, Any] = {
    "boolean": bool,
    "int": Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)],
    "long": Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)],
    "float": float,
    "double": float,
    "string": str,
    "binary": bytes,
    "date": _TIME,
    "timestamp": _TIME,
    "timestamptz": _TIME,
    "timestamp_ns": _TIME,
    "timestamptz_ns": _TIME,
}
_STRING = Primitive("string")
_REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError)


class NotServedError(ValueError):
    """A column's type, or its name, is beyond typed decoding."""


class Decoded(NamedTuple):
    """`batch` has the records that were taken, in order; `odd` are the indices of all others."""

    batch: pa.RecordBatch
    odd: list[int]


def fast_decoder(
    schema: Struct, *, evolves: bool, converts: Converts | None = None
) -> "FastDecoder | None":
    """Compile a decoder, or return None for a table that typed decoding cannot serve.

    With `evolves`, records with unknown fields are odd; else these are ignored. `converts` compiles
    the plain conversion of values of a type, which raises RecordError. Without it, each value that
    is not of its column's own type makes a record odd.
    """
    try:
        return FastDecoder(schema, evolves=evolves, converts=converts)
    except ValueError:  # msgspec's too, for names with quotes
        return None


class FastDecoder:
    """Decodes chunks of JSON documents to batches of a table's schema."""

    def __init__(self, schema: Struct, *, evolves: bool, converts: Converts | None = None) -> None:
        self._schema = arrow_schema(schema)
        self._builders = _builders(schema, converts)
        self._order = sorted(range(len(self._builders)), key=lambda at: _is_exact(schema, at))
        kind = _struct_type(schema, converts, forbid=True)
        self._decode: Callable[[Any], Any] = msgspec.json.Decoder(kind).decode
        self._decode_known = None if evolves else _known_decoder(schema, converts)

    def decode(self, values: Sequence[bytes | None]) -> Decoded:
        """Decode a chunk; some 2,000 records fit the processor's caches."""
        with _collection_paused():
            records, odd = self._records(values)
            while True:
                try:
                    return Decoded(self._batch(records), odd)
                except OddValuesError as error:
                    records, odd = _without(records, odd, error.positions)

    def _records(self, values: Sequence[bytes | None]) -> tuple[list[Any], list[int]]:
        records: list[Any] = []
        odd: list[int] = []
        partial, decoded = 0, map(self._decode, values)
        while True:
            try:
                # What was decoded before a refusal stays in the list.
                records.extend(decoded)
                break
            except _REFUSED as error:
                position = len(records) + len(odd)
                record = self._retry(values[position], error)
            if record is None:
                odd.append(position)
            else:
                records.append(record)
                partial += 1
        if partial * 2 > len(values) and self._decode_known is not None:
            self._decode = self._decode_known
        return records, odd

    def _retry(self, value: bytes | None, error: Exception) -> Any | None:
        """Decode a record that may have unknown fields, where these are ignored."""
        if self._decode_known is None or not isinstance(error, msgspec.ValidationError):
            return None
        try:
            return self._decode_known(value)
        except _REFUSED:
            return None

    def _batch(self, records: Sequence[Any]) -> pa.RecordBatch:
        columns = transpose(list(map(astuple, records)), len(self._builders))
        arrays: list[pa.Array] = [None] * len(columns)
        for at in self._order:
            arrays[at] = self._builders[at](columns[at])
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


def _known_decoder(schema: Struct, converts: Converts | None) -> Callable[[Any], Any]:
    """Compile a decoder that ignores unknown fields, but refuses what is no JSON in them.

    Typed decoding skips these without a look at numbers out of range and broken UTF-8.
    """
    check = msgspec.json.Decoder().decode
    decode = msgspec.json.Decoder(_struct_type(schema, converts, forbid=False)).decode

    def decode_known(value: Any) -> Any:
        check(value)
        return decode(value)

    return decode_known


def _struct_type(kind: Struct, converts: Converts | None, *, forbid: bool) -> Any:
    """Define a class with a field for each column; names of columns may be anything."""
    if not kind.columns:
        raise NotServedError("a struct without columns")
    fields: list[Any] = []
    for at, column in enumerate(kind.columns):
        value = _value_type(column.type, converts, forbid=forbid)
        fields.append((f"f{at}", value) if column.required else (f"f{at}", value | None, None))
    names = {f"f{at}": column.name for at, column in enumerate(kind.columns)}
    return msgspec.defstruct(
        "Fields", fields, rename=names, gc=False, kw_only=True, forbid_unknown_fields=forbid
    )


def _value_type(kind: Type, converts: Converts | None, *, forbid: bool) -> Any:
    if isinstance(kind, Struct):
        return _struct_type(kind, converts, forbid=forbid)
    if isinstance(kind, List):
        element = _value_type(kind.element, converts, forbid=forbid)
        return list[element if kind.required else element | None]  # type: ignore[misc]
    if isinstance(kind, Map) and kind.key == _STRING:
        value = _value_type(kind.value, converts, forbid=forbid)
        if kind.value == _STRING and converts is not None:
            value = _ANY
        return dict[str, value if kind.required else value | None]  # type: ignore[misc]
    if isinstance(kind, Primitive) and kind.name in _TYPES:
        return _TYPES[kind.name]
    if isinstance(kind, Primitive) and kind.name == "fixed":
        return Annotated[bytes, Meta(min_length=kind.length, max_length=kind.length)]
    if converts is None:
        raise NotServedError(f"columns of type {kind} need their plain conversion")
    return dict[str, Any] if isinstance(kind, Map) else _ANY


def _builders(schema: Struct, converts: Converts | None) -> list[Builder]:
    def leaf(kind: Type) -> Builder | None:
        if isinstance(kind, Struct | List) or (isinstance(kind, Map) and kind.key == _STRING):
            return None
        convert = None if converts is None else converts(kind)
        if isinstance(kind, Map):
            return plain_builder(kind, convert)
        if kind == _STRING and convert is not None:
            return text_builder(convert)
        return primitive_builder(kind, convert)

    forms = Forms(fields=astuple, keys=iter, values=dict.values, empty_map={}, leaf=leaf)
    return [builder(column.type, forms) for column in schema.columns]


def _is_exact(schema: Struct, at: int) -> bool:
    """Tell whether typed decoding leaves nothing to refuse, so that others are built first."""
    return all(leaf.name in DECODED for _, leaf, _ in leaves(schema.columns[at].type))


def _without(
    records: Sequence[Any], odd: Sequence[int], positions: Collection[int]
) -> tuple[list[Any], list[int]]:
    """Take out records by their positions among those that were taken."""
    others = set(odd)
    taken = [at for at in range(len(records) + len(odd)) if at not in others]
    dropped = set(positions)
    kept = [record for at, record in enumerate(records) if at not in dropped]
    return kept, sorted([*odd, *(taken[at] for at in dropped)])


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Pause garbage collection, which would look through each chunk again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
