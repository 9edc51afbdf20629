"""Typed decoding of JSON into columns: an optimisation of the plain functions, and nothing else.

A record that is taken has the very row that the plain functions give. All others are odd, and
theirs: other types, missing required columns, unknown fields where the schema may evolve, and what
JSON forbids.
"""

from collections.abc import Collection, Mapping, Sequence
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
    ROW_FORMS,
    Builder,
    Forms,
    OddValuesError,
    builder,
    transpose,
)
from frazil.spark_sink.tasks.field_plan import AS_IS, FieldPlan
from frazil.spark_sink.tasks.garbage import collection_paused
from frazil.spark_sink.tasks.json_types import (
    REFUSED,
    STRING,
    known_fields_decoder,
    strict_decoder,
)
from frazil.spark_sink.tasks.unknown_fields import IgnorableFields

Inserted = Mapping[str, Sequence[Any]]


class Decoded(NamedTuple):
    """`batch` has the records that were taken, in order; `odd` are the indices of all others."""

    batch: pa.RecordBatch
    odd: list[int]


def fast_decoder(
    schema: Struct,
    *,
    evolves: bool,
    converts: Converts | None = None,
    plan: FieldPlan = AS_IS,
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
        return FastDecoder(schema, evolves=evolves, converts=converts, plan=plan)
    except ValueError:  # msgspec's too, for names with quotes
        return None


class FastDecoder:
    """Decodes chunks of JSON documents to batches of a table's schema."""

    def __init__(
        self, schema: Struct, *, evolves: bool, converts: Converts | None, plan: FieldPlan
    ) -> None:
        lenient = converts is not None
        self._compile = partial(strict_decoder, schema, plan, lenient=lenient)
        self._decode = self._compile({})
        self._decode_known = (
            None if evolves else known_fields_decoder(schema, plan, lenient=lenient)
        )
        self._ignorable = IgnorableFields(schema, plan, evolves=evolves)
        self._schema = arrow_schema(schema)
        self._width = len(plan.sources(schema))
        self._columns = _columns(schema, plan, converts)

    def decode(self, values: Sequence[bytes | None], inserted: Inserted | None = None) -> Decoded:
        """Decode a chunk; some 2,000 records fit the processor's caches.

        `inserted` has a value for each record, in a row's form, by the columns that the plan
        inserts.
        """
        with collection_paused():
            records, odd = self._records(values)
            while True:
                try:
                    return Decoded(self._batch(records, _taken(inserted or {}, odd)), odd)
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

    def _batch(self, records: Sequence[Any], inserted: Inserted) -> pa.RecordBatch:
        columns = transpose(list(map(astuple, records)), self._width)
        absent = (None,) * len(records)
        arrays: list[pa.Array] = [None] * len(self._columns)
        for column in self._columns:
            if column.source is None:
                values = inserted.get(column.name, absent)
            else:
                values = columns[column.source]
            arrays[column.target] = column.build(values)
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


class _Column(NamedTuple):
    """`source` is the position among the fields of decoded records, `target` that in the table."""

    name: str
    source: int | None
    target: int
    build: Builder


def _columns(schema: Struct, plan: FieldPlan, converts: Converts | None) -> list[_Column]:
    """Compile the columns; those come first that may refuse values, before others are built."""
    forms = _forms(converts)
    sources = list(plan.sources(schema))
    columns = []
    for target, column in enumerate(schema.columns):
        source = plan.source(column)
        build = builder(column.type, ROW_FORMS if source is None else forms)
        at = None if source is None else sources.index(source)
        columns.append(_Column(column.name, at, target, build))
    return sorted(columns, key=lambda column: _is_exact(schema.columns[column.target].type))


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


def _taken(inserted: Inserted, odd: Collection[int]) -> Inserted:
    if not inserted or not odd:
        return inserted
    others = set(odd)
    return {
        name: [value for at, value in enumerate(values) if at not in others]
        for name, values in inserted.items()
    }


def _without(
    records: Sequence[Any], odd: Sequence[int], positions: Collection[int]
) -> tuple[list[Any], list[int]]:
    """Take out records by their positions among those that were taken."""
    others, dropped = set(odd), set(positions)
    taken = [at for at in range(len(records) + len(odd)) if at not in others]
    kept = [record for at, record in enumerate(records) if at not in dropped]
    return kept, sorted([*odd, *(taken[at] for at in dropped)])
