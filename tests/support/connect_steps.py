"""Kafka Connect's own transforms as steps of a chain, and what they make of a record."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.plain_records import record_of
from tests.support.sink_configs import PLUGIN, changed

from frazil.contracts.plugins.transforms.chain import Step, steps_of
from frazil.spark_sink.records.chain import chain_of
from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.model import Record, Schema

PACKAGE = "org.apache.kafka.connect.transforms."

Configured = tuple[str, Mapping[str, str]]


def step(word: str, **options: str) -> Configured:
    """Name a transform and its options; underscores in them stand for dots."""
    return word, {key.replace("_", "."): text for key, text in options.items()}


def steps(*configured: Configured, **more: str) -> tuple[Step, ...]:
    """Read transforms `t0`, `t1` and so on from a connector's configuration."""
    config: dict[str, str | None] = dict(more)
    for number, (word, options) in enumerate(configured):
        config[f"transforms.t{number}.type"] = PACKAGE + word
        config |= {f"transforms.t{number}.{key}": text for key, text in options.items()}
    config["transforms"] = ",".join(f"t{number}" for number in range(len(configured)))
    return steps_of(PLUGIN.parse(changed(config)))


def through(record: Record, *configured: Configured) -> Record | None:
    """Take a record through a chain."""
    transform = chain_of(steps(*configured))
    assert transform is not None
    return transform(record)


def changed_value(value: Any, *configured: Configured, schema: Schema | None = None) -> Any:
    """Take a value through a chain; a refused one is `!` and the words of the error."""
    return changed_pair(value, schema, *configured)[0]


def changed_pair(
    value: Any, schema: Schema | None, *configured: Configured
) -> tuple[Any, Schema | None]:
    """Take a value with its schema through a chain."""
    try:
        record = through(record_of(value, schema), *configured)
    except TransformError as error:
        return f"!{error}", None
    assert record is not None
    return record.value, record.value_schema


def refusal_class(record: Record, configured: Sequence[Configured]) -> str | None:
    """Return the class that refuses a record; None if none does."""
    try:
        through(record, *configured)
    except TransformError as error:
        return error.class_name
    return None
