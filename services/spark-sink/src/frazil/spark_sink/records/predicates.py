"""Kafka Connect's predicates, which choose the records that a transform changes."""

from collections.abc import Callable

from frazil.contracts.plugins.transforms.chain import Predicate
from frazil.spark_sink.records.java_regex import compile_java
from frazil.spark_sink.records.model import Record

Test = Callable[[Record], bool]


def predicate_of(predicate: Predicate) -> Test:
    """Compile a predicate; `negate` turns it round."""
    test = _MAKERS[predicate.word](predicate)
    if predicate.negate:
        return lambda record: not test(record)
    return test


def has_header_key(predicate: Predicate) -> Test:
    """Compile a test for headers of a name."""
    name = predicate.options["name"]
    return lambda record: any(header.name == name for header in record.headers)


def record_is_tombstone(_: Predicate) -> Test:
    """Compile a test for records without a value."""
    return lambda record: record.value is None


def topic_name_matches(predicate: Predicate) -> Test:
    """Compile a test of the whole name of the topic."""
    matches = compile_java(predicate.options["pattern"]).fullmatch
    return lambda record: matches(record.topic) is not None


_MAKERS: dict[str, Callable[[Predicate], Test]] = {
    "HasHeaderKey": has_header_key,
    "RecordIsTombstone": record_is_tombstone,
    "TopicNameMatches": topic_name_matches,
}
