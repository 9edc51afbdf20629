"""Bad records: each kind is really bad, and the share is the one asked for."""

import json
from random import Random
from typing import Any

import pytest
from tests.support.log_records import misfits

from frazil.contracts.log_topics import Topic
from frazil.log_generator.shapes.spoil import Flaw, flaws, spoil
from frazil.log_generator.source import Source, encode

NOW_NS = 1_790_000_000_000_000_000


def good(topic: Topic) -> dict[str, Any]:
    value = Source(topic, seed=3, start_ns=NOW_NS).take(1, lambda: NOW_NS)[0]
    record: dict[str, Any] = json.loads(value)
    return record


@pytest.mark.parametrize("topic", Topic)
def test_broken_json_does_not_parse(topic: Topic) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(spoil(good(topic), Flaw.BROKEN_JSON, encode).decode(errors="replace"))


@pytest.mark.parametrize("topic", Topic)
def test_a_missing_time_is_the_only_thing_wrong(topic: Topic) -> None:
    record = json.loads(spoil(good(topic), Flaw.MISSING_TIME, encode))
    assert misfits(topic, record) == [f"{topic}.time is missing"]


@pytest.mark.parametrize("topic", Topic)
def test_wrong_types_are_at_the_top_and_below(topic: Topic) -> None:
    record = json.loads(spoil(good(topic), Flaw.WRONG_TYPE, encode))
    assert record["time"] is True
    assert 42 in record.values()
    assert misfits(topic, record)


def test_an_empty_value_has_no_bytes() -> None:
    assert spoil(good(Topic.API), Flaw.EMPTY_VALUE, encode) == b""


def test_spoiling_leaves_the_record_as_it_was() -> None:
    record = good(Topic.API)
    before = encode(record)
    for flaw in Flaw:
        spoil(record, flaw, encode)
    assert encode(record) == before


def test_all_flaws_come_up() -> None:
    draw = flaws(Random(1))  # noqa: S311 (a test's dice)
    assert {draw() for _ in range(200)} == set(Flaw)


@pytest.mark.parametrize(
    ("share", "low", "high"), [(0.0, 0, 0), (0.1, 400, 600), (1.0, 5000, 5000)]
)
def test_the_share_of_bad_records_is_the_one_asked_for(share: float, low: int, high: int) -> None:
    source = Source(Topic.ERROR, seed=3, start_ns=NOW_NS, bad=share)
    values = source.take(5000, lambda: NOW_NS)
    assert low <= source.bad <= high
    assert sum(is_bad(value) for value in values) == source.bad


def is_bad(value: bytes) -> bool:
    try:
        return bool(misfits(Topic.ERROR, json.loads(value)))
    except ValueError:
        return True
