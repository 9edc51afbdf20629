"""What converters and transforms make of records, and how that goes through Spark."""

import pickle
from collections.abc import Callable, Iterator
from functools import lru_cache

from frazil.spark_sink.records.chain import chain_of
from frazil.spark_sink.records.converters.record import reader_of
from frazil.spark_sink.records.errors import RecordError
from frazil.spark_sink.records.model import KafkaRecord, Record, Schema
from frazil.spark_sink.tasks.chunks import Chunk
from frazil.spark_sink.tasks.plan import RecordPlan

Outcome = Record | RecordError | None
"""A record, why it is refused, or None: it is filtered out."""

Read = Callable[[KafkaRecord], Outcome]


def outcome_of(plan: RecordPlan) -> Read:
    """Compile converters and transforms into one function; it gives errors back as values."""
    read, transform = reader_of(plan.key, plan.value, plan.header), chain_of(plan.steps)

    def outcome(source: KafkaRecord) -> Outcome:
        try:
            record = read(source)
            return record if transform is None else transform(record)
        except RecordError as error:
            return error

    return outcome


def outcomes_of(plan: RecordPlan) -> Callable[[Chunk], Iterator[tuple[KafkaRecord, Outcome]]]:
    """Compile the same for chunks; a plan that resumes goes on from the outcomes beside them."""
    if not plan.resumes:
        read = outcome_of(plan)
        return lambda chunk: ((source, read(source)) for source in chunk.records())
    transform = chain_of(plan.steps)

    def resumed(chunk: Chunk) -> Iterator[tuple[KafkaRecord, Outcome]]:
        for source, packed in zip(chunk.records(), chunk.outcomes(), strict=True):
            outcome = unpack(packed, source)
            if transform is not None and isinstance(outcome, Record):
                try:
                    outcome = transform(outcome)
                except RecordError as error:
                    outcome = error
            yield source, outcome

    return resumed


def pack(outcome: Outcome) -> bytes:
    """Pickle an outcome without the record that it stands beside."""
    if not isinstance(outcome, Record):
        return pickle.dumps(outcome)
    return pickle.dumps(
        (
            outcome.topic,
            outcome.key,
            _packed_schema(outcome.key_schema),
            outcome.value,
            _packed_schema(outcome.value_schema),
            outcome.headers,
            outcome.timestamp,
        )
    )


def unpack(packed: bytes, source: KafkaRecord) -> Outcome:
    """Give an outcome back its record."""
    found = pickle.loads(packed)  # noqa: S301 (a task of ours has made it)
    if not isinstance(found, tuple):
        return found  # type: ignore[no-any-return]
    topic, key, key_schema, value, value_schema, headers, timestamp = found
    return Record(
        source,
        topic,
        key,
        _schema(key_schema),
        value,
        _schema(value_schema),
        headers,
        timestamp,
    )


# What follows knows a schema that it has seen by its identity.
@lru_cache(maxsize=1_000)
def _schema(packed: bytes) -> Schema | None:
    return pickle.loads(packed)  # type: ignore[no-any-return] # noqa: S301


def _packed_schema(schema: Schema | None) -> bytes:
    return _PACKED_NONE if schema is None else pickle.dumps(schema)


_PACKED_NONE = pickle.dumps(None)
