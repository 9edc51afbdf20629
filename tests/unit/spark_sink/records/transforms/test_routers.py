"""RegexRouter and TimestampRouter: other names for topics."""

from dataclasses import replace

import pytest
from tests.support.connect_steps import refusal_class, step, steps, through
from tests.support.plain_records import record_of

from frazil.spark_sink.records.chain import chain_of
from frazil.spark_sink.records.java_regex import BadPatternError


@pytest.mark.parametrize(
    ("regex", "replacement", "topic"),
    [
        ("(ord)(.*)", "$2-$1", "ers-ord"),
        ("(?<first>or).*", "${first}x", "orx"),
        ("(o)(.*)", "$12", "o2"),
        ("(o)(r)(d)(e)(r)(s)()()()()()()", "$12$1", "o"),
        ("orders", r"\$1\\x", r"$1\x"),
        ("(x)?orders", "<$1>", "<>"),
        ("ord", "x", "orders"),
        ("ORDERS", "x", "orders"),
        ("(?i)ORDERS", "x", "x"),
        (r"\p{Lower}+", "$0-all", "orders-all"),
        ("orders|ord", "", ""),
        # The first match is replaced, not the one that covers the whole name.
        ("ord.*?", "x", "xers"),
        ("o|ord.*", "x", "xrders"),
    ],
)
def test_a_topic_is_renamed_if_the_pattern_matches_all_of_it(
    regex: str, replacement: str, topic: str
) -> None:
    record = through(record_of({}), step("RegexRouter", regex=regex, replacement=replacement))
    assert record is not None
    assert record.topic == topic


@pytest.mark.parametrize("replacement", ["$1", "a$", "$x", "${no}", "\\"])
def test_a_replacement_without_its_group_is_refused_at_the_start(replacement: str) -> None:
    with pytest.raises(BadPatternError, match="no group"):
        chain_of(steps(step("RegexRouter", regex="ord", replacement=replacement)))


@pytest.mark.parametrize(
    ("options", "topic"),
    [
        ({}, "orders-20231114"),
        ({"topic_format": "${timestamp}.${topic}.x", "timestamp_format": "yyyy-MM-dd'T'HH"},
         "2023-11-14T22.orders.x"),
        ({"topic_format": "all"}, "all"),
    ],
)  # fmt: skip
def test_a_topic_gets_the_time_of_its_record(options: dict[str, str], topic: str) -> None:
    record = through(record_of({}), step("TimestampRouter", **options))
    assert record is not None
    assert record.topic == topic


@pytest.mark.parametrize("timestamp", [None, 10**18])
def test_a_record_without_a_time_is_not_routed(timestamp: int | None) -> None:
    record = replace(record_of({}), timestamp=timestamp)
    name = "org.apache.kafka.connect.transforms.TimestampRouter"
    assert refusal_class(record, [step("TimestampRouter")]) == name


def test_routers_follow_each_other() -> None:
    record = through(
        record_of({}),
        step("TimestampRouter", topic_format="${topic}_${timestamp}", timestamp_format="yyyy"),
        step("RegexRouter", regex="(.*)_2023", replacement="last-$1"),
    )
    assert record is not None
    assert record.topic == "last-orders"
