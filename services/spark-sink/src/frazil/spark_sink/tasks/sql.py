"""Around a SQL transform: records become columns for Spark, and what it selects becomes records.

Beside each record goes its outcome so far, and the shape that a statement sees: records of one
shape are selected together, so that no record changes the types of another.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any, cast

import pyarrow as pa

from frazil.contracts.plugins.transforms.chain import Predicate
from frazil.spark_sink.records.conversion import ConversionRules, row_converter
from frazil.spark_sink.records.errors import MisfitError, RecordError, TransformError
from frazil.spark_sink.records.model import (
    DATE,
    DECIMAL,
    TIMESTAMP,
    Field,
    Kind,
    Record,
    Schema,
)
from frazil.spark_sink.records.predicates import predicate_of
from frazil.spark_sink.records.schema.types import Struct, parse_schema, type_json
from frazil.spark_sink.records.transforms.sql import (
    STAR,
    Mentions,
    Selected,
    shape_of,
    visible,
    with_selected,
)
from frazil.spark_sink.tasks.chunks import KAFKA_COLUMNS, chunks_of_batch
from frazil.spark_sink.tasks.columns import batch_of
from frazil.spark_sink.tasks.outcomes import Outcome, outcomes_of, pack, unpack
from frazil.spark_sink.tasks.plan import RecordPlan

OUTCOME, SHAPE, ROUTED, KEPT = "outcome", "shape", "_frazil_topic", "_frazil_kept"
FIELD, PART = "_frazil_field_", "_frazil_part_"


@dataclass(frozen=True)
class SqlStage:
    """The way of records to a SQL transform, and where its statement looks."""

    records: RecordPlan
    mentions: Mentions
    predicate: Predicate | None = None


def find_shapes(stage: SqlStage, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Take records as far as the statement; where it does not apply, there is no shape."""
    outcomes_in = outcomes_of(stage.records)
    look = _look(stage)
    for batch in batches:
        pairs = [pair for chunk in chunks_of_batch(batch) for pair in outcomes_in(chunk)]
        seen = [look(outcome) for _, outcome in pairs]
        yield _beside_source(
            batch,
            {
                OUTCOME: _binary([pack(outcome) for outcome, _ in seen]),
                SHAPE: _texts([shape for _, shape in seen]),
            },
        )


def _look(stage: SqlStage) -> Callable[[Outcome], tuple[Outcome, str | None]]:
    applies = None if stage.predicate is None else predicate_of(stage.predicate)

    def look(outcome: Outcome) -> tuple[Outcome, str | None]:
        if not isinstance(outcome, Record) or outcome.value is None:
            return outcome, None
        try:
            if applies is not None and not applies(outcome):
                return outcome, None
        except RecordError as error:
            return error, None
        return outcome, _spelled(shape_of(outcome, stage.mentions))

    return look


@lru_cache(maxsize=1_000)
def _spelled(shape: Struct) -> str:
    return json.dumps(type_json(shape))


def open_columns(shape: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add what the statement sees, as columns, for records of one shape."""
    struct = parse_schema(json.loads(shape))
    convert = row_converter(struct, ConversionRules())
    absent = (None,) * len(struct.columns)
    for batch in batches:
        packed, topics, rows = [], [], []
        for outcome in _outcomes(batch):
            packed.append(pack(outcome))
            topics.append(outcome.topic)
            try:
                rows.append(convert(visible(outcome), None))
            except MisfitError as error:
                packed[-1] = pack(TransformError(str(error)))
                rows.append(absent)
        # By number: fields may have the names of what is beside them.
        numbered = {f"{FIELD}{at}": one for at, one in enumerate(batch_of(rows, struct).columns)}
        yield _beside_source(batch, {OUTCOME: _binary(packed), ROUTED: _texts(topics)} | numbered)


def take_selected(
    parts: Sequence[str | None], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Make records of what was selected; each part is the name of a column, or a star."""
    for batch in batches:
        columns = [_selected(batch, part) for part in parts]
        rows = zip(_outcomes(batch), _values(batch, KEPT), *columns, strict=True)
        packed = [pack(_taken(outcome, kept, selected)) for outcome, kept, *selected in rows]
        yield _beside_source(batch, {OUTCOME: _binary(packed)})


def _selected(batch: pa.RecordBatch, part: str | None) -> Iterable[Selected | None]:
    if part is STAR:
        return repeat(STAR, batch.num_rows)
    schema = cast("Schema", schema_of(batch.schema.field(part).type))  # it is a struct
    return (Selected(fields, schema) for fields in _values(batch, part))


def _taken(outcome: Outcome, kept: bool, selected: Sequence[Selected | None]) -> Outcome:
    if not isinstance(outcome, Record):
        return outcome
    return with_selected(outcome, selected) if kept else None


def refuse(why: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Refuse records on which the statement makes no sense."""
    packed = pack(TransformError(why))
    for batch in batches:
        yield _beside_source(batch, {OUTCOME: _binary([packed] * batch.num_rows)})


def schema_of(kind: pa.DataType) -> Schema | None:
    """Return Connect's schema for what Spark has selected; None for what is null in any case."""
    if pa.types.is_null(kind):
        return None
    if pa.types.is_struct(kind):
        members = ((one.name, schema_of(one.type)) for one in kind)
        known = tuple(Field(name, schema) for name, schema in members if schema)
        return Schema(Kind.STRUCT, optional=True, fields=known)
    if pa.types.is_list(kind):
        element = schema_of(kind.value_type)
        return element and Schema(Kind.ARRAY, optional=True, element=element)
    if pa.types.is_map(kind):
        key, value = schema_of(kind.key_type), schema_of(kind.item_type)
        return value and Schema(Kind.MAP, optional=True, key=key, element=value)
    if pa.types.is_decimal(kind):
        scale = {"scale": str(kind.scale)}
        return Schema(Kind.BYTES, optional=True, name=DECIMAL, parameters=scale)
    if pa.types.is_timestamp(kind):
        return Schema(Kind.INT64, optional=True, name=TIMESTAMP)
    return _SCHEMAS.get(kind, Schema(Kind.STRING, optional=True))


_KINDS = {
    pa.bool_(): Kind.BOOLEAN,
    pa.int8(): Kind.INT8,
    pa.int16(): Kind.INT16,
    pa.int32(): Kind.INT32,
    pa.int64(): Kind.INT64,
    pa.float32(): Kind.FLOAT32,
    pa.float64(): Kind.FLOAT64,
    pa.binary(): Kind.BYTES,
}
_SCHEMAS = {arrow: Schema(kind, optional=True) for arrow, kind in _KINDS.items()} | {
    pa.date32(): Schema(Kind.INT32, optional=True, name=DATE)
}


def _outcomes(batch: pa.RecordBatch) -> Iterator[Any]:
    for chunk in chunks_of_batch(batch):
        yield from map(unpack, chunk.outcomes(), chunk.records())


def _beside_source(batch: pa.RecordBatch, columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
    kept = {name: batch.column(name) for name in KAFKA_COLUMNS}
    return pa.record_batch({**kept, **columns})


def _values(batch: pa.RecordBatch, name: str) -> list[Any]:
    return batch.column(name).to_pylist(maps_as_pydicts="lossy")  # type: ignore[no-any-return]


def _binary(values: Sequence[bytes]) -> pa.Array:
    return pa.array(values, pa.binary())


def _texts(values: Sequence[str | None]) -> pa.Array:
    return pa.array(values, pa.string())
