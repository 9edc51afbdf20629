"""Typed decoding of JSON into columns: an optimisation of the plain functions, and nothing else.

A record that is taken has the very row that the plain functions give. All others are odd, and
theirs: other types, missing required columns, unknown fields where the schema may evolve, and what
JSON forbids.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
from msgspec.structs import astuple

from frazil.spark_sink.records.schema.types import List, Map, Struct, Type, leaves
from frazil.spark_sink.tasks.arrow_types import arrow_schema
from frazil.spark_sink.tasks.bulk import (
    DECODED,
    Converts,
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
from frazil.spark_sink.tasks.garbage import collection_paused
from frazil.spark_sink.tasks.json_types import (
    REFUSED,
    STRING,
    known_fields_decoder,
    strict_decoder,
)
from frazil.spark_sink.tasks.unknown_fields import IgnorableFields


class Decoded(NamedTuple):
    """`batch` has the records that were taken, in order; `odd` are the indices of all others."""

    batch: pa.RecordBatch
    odd: list[int]


def fast_decoder(
    schema: Struct,
    *,
    evolves: bool,
    converts: Converts | None = None,
) -> "FastDecoder | None":
    """Compile a decoder, or return None for a table that typed decoding cannot serve.

    With `evolves`, records with unknown fields are odd, unless these are empty; else unknown fields
    are ignored. A table that ignores the case of names is served as one that evolves.

    `converts` compiles the plain conversion of values of a type, which raises RecordError. Without
    it, each value that is not of its column's own type makes a record odd, as a policy wants that
    looks at such values. Where columns have the policy `fail`, typed decoding is too kind: it takes
    any integer as a double.
    """
    try:
        return FastDecoder(schema, evolves=evolves, converts=converts)
    except ValueError:  # msgspec's too, for names with quotes
        return None


class FastDecoder:
    """Decodes chunks of JSON documents to batches of a table's schema."""

    def __init__(self, schema: Struct, *, evolves: bool, converts: Converts | None) -> None:
        lenient = converts is not None
        self._compile = partial(strict_decoder, schema, lenient=lenient)
        self._decode = self._compile({})
        self._decode_known = None if evolves else known_fields_decoder(schema, lenient=lenient)
        self._ignorable = IgnorableFields(schema, evolves=evolves)
        self._schema = arrow_schema(schema)
        self._builders = _builders(schema, converts)

    def decode(self, values: Sequence[bytes | None]) -> Decoded:
        """Decode a chunk; some 2,000 records fit the processor's caches."""
        with collection_paused():
            records, odd = self._records(values)
            while True:
                try:
                    return Decoded(self._batch(records), odd)
                except OddValuesError as error:
                    records, odd = _without(records, odd, error.positions)

    def _records(self, values: Sequence[bytes | None]) -> tuple[list[Any], list[int]]:
        records: list[Any] = []
        odd: list[int] = []
        refused: list[bytes] = []
        decoded = map(self._decode, values)
        while True:
            try:
                # What was decoded before a refusal stays in the list.
                records.extend(decoded)
                break
            except REFUSED as error:
                position = len(records) + len(odd)
                value = values[position]
                record = self._retry(value, error)
            if record is None:
                odd.append(position)
            else:
                records.append(record)
            if value is not None:
                refused.append(value)
        if refused and self._ignorable.learn(refused):
            self._decode = self._compile(self._ignorable.fields)
        return records, odd

    def _retry(self, value: bytes | None, error: Exception) -> Any | None:
        """Decode a record that may have unknown fields, where these are ignored."""
        if self._decode_known is None or not isinstance(error, msgspec.ValidationError):
            return None
        try:
            return self._decode_known(value)
        except REFUSED:
            return None

    def _batch(self, records: Sequence[Any]) -> pa.RecordBatch:
        width = len(self._schema)
        columns = transpose(list(map(astuple, records)), width)
        arrays: list[pa.Array] = [None] * width
        for position, build in self._builders:
            arrays[position] = build(columns[position])
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


def _builders(schema: Struct, converts: Converts | None) -> list[tuple[int, Builder]]:
    """Compile the columns; those come first that may refuse values, before others are built."""
    forms = _forms(converts)
    columns = sorted(enumerate(schema.columns), key=lambda column: _is_exact(column[1].type))
    return [(position, builder(column.type, forms)) for position, column in columns]


def _forms(converts: Converts | None) -> Forms:
    def leaf(kind: Type) -> Builder | None:
        if isinstance(kind, Struct | List) or (isinstance(kind, Map) and kind.key == STRING):
            return None
        if isinstance(kind, Map):
            return plain_builder(kind, converts)
        if kind == STRING and converts is not None:
            return text_builder(converts)
        return primitive_builder(kind, converts)

    return Forms(fields=astuple, keys=iter, values=dict.values, leaf=leaf)


def _is_exact(kind: Type) -> bool:
    """Tell whether typed decoding leaves nothing to refuse."""
    return all(leaf.name in DECODED for _, leaf, _ in leaves(kind))


def _without(
    records: Sequence[Any], odd: Sequence[int], positions: Collection[int]
) -> tuple[list[Any], list[int]]:
    """Take out records by their positions among those that were taken."""
    others, dropped = set(odd), set(positions)
    taken = [at for at in range(len(records) + len(odd)) if at not in others]
    kept = [record for at, record in enumerate(records) if at not in dropped]
    return kept, sorted([*odd, *(taken[at] for at in dropped)])
