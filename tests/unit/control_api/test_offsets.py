"""What is wanted of offsets: read from the wire, and merged into the rewind that a worker gets."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.offsets import Mode, Rewind, each
from frazil.control_api.core.errors import BadRequestError, PendingRewindError
from frazil.control_api.core.offsets import (
    PartitionOffset,
    Positions,
    reset,
    rewound,
    sink_entries,
    sink_wishes,
)

NOW = 1_800_000_000.5
Places = dict[tuple[str, int], int]


def entry(partition: Any, offset: Any = None) -> PartitionOffset:
    return PartitionOffset(partition, offset)


def at(topic: Any = "t", partition: Any = 0) -> dict[str, Any]:
    return {"kafka_topic": topic, "kafka_partition": partition}


class TestReading:
    def test_numbers_may_be_texts(self) -> None:
        entries = [entry(at(partition="1"), {"kafka_offset": "5"}), entry(at(), None)]
        assert sink_wishes("s", entries) == {("t", 1): 5, ("t", 0): None}

    def test_the_last_word_on_a_partition_counts(self) -> None:
        entries = [entry(at(), {"kafka_offset": 5}), entry(at(), {"kafka_offset": 6})]
        assert sink_wishes("s", entries) == {("t", 0): 6}

    @pytest.mark.parametrize(
        ("faulty", "message"),
        [
            (entry(None), "The partition for a sink connector offset cannot be null or missing"),
            (
                entry({}),
                "The partition for a sink connector offset must contain the keys 'kafka_topic' and "
                "'kafka_partition'",
            ),
            (entry(at(None)), "Kafka topic names must be valid strings and may not be null"),
            (
                entry(at(partition=None)),
                "Kafka partitions must be valid numbers and may not be null",
            ),
            *(
                (
                    entry(at(partition=value)),
                    "Failed to parse the following Kafka partition value in the provided offsets: "
                    f"'{value}'. Partition values for sink connectors need to be integers.",
                )
                for value in ("x", "0.0", 2**31, "", "1" * 5000)
            ),
            (
                entry(at(), {}),
                "The offset for a sink connector should either be null or contain the key "
                "'kafka_offset'",
            ),
            (
                entry(at(), {"kafka_offset": None}),
                "Failed to parse the following Kafka offset value in the provided offsets: 'null'. "
                "Offset values for sink connectors need to be integers.",
            ),
            (
                entry(at(), {"kafka_offset": -5}),
                "Failed to modify offsets for sink connector s: the offset -5 of t-0 is negative",
            ),
        ],
    )
    def test_each_fault_has_connects_words(self, faulty: PartitionOffset, message: str) -> None:
        with pytest.raises(BadRequestError) as caught:
            sink_wishes("s", [faulty])
        assert caught.value.message == message

    def test_what_is_answered_can_be_sent_back(self) -> None:
        entries = sink_entries({"b": {0: 1}, "a": {1: 2, 0: 3}})
        assert sink_wishes("s", entries) == {("a", 0): 3, ("a", 1): 2, ("b", 0): 1}


class TestRewinding:
    def test_numbers_grow_with_the_time_of_day(self) -> None:
        assert rewound(None, 0, {}, now=NOW).number == int(NOW)
        assert reset(Rewind(number=2_000_000_000), 0, now=NOW).number == 2_000_000_001
        assert reset(None, 2_000_000_005, now=NOW).number == 2_000_000_006

    def test_a_rewind_that_was_applied_is_not_repeated(self) -> None:
        last = Rewind(number=5, offsets={"t": {0: 1}}, everything=True)
        assert rewound(last, 5, {("t", 1): 7}, now=NOW) == Rewind(
            number=int(NOW), offsets={"t": {1: 7}}
        )

    def test_a_rewind_that_nobody_has_applied_yet_is_added_to(self) -> None:
        last = Rewind(number=5, offsets={"t": {0: 1, 1: 2}}, fresh={"t": [2]}, everything=True)
        merged = rewound(last, 4, {("t", 1): None, ("t", 2): 9}, now=NOW)
        assert merged == Rewind(
            number=int(NOW), offsets={"t": {0: 1, 2: 9}}, fresh={"t": [1]}, everything=True
        )


class TestModes:
    def test_a_rewind_that_waits_takes_the_mode_of_the_newest_that_says_one(self) -> None:
        last = Rewind(number=5, offsets={"t": {0: 1}}, mode=Mode.ONCE)
        for mode in Mode:
            found = rewound(last, 4, {("t", 1): 2}, now=NOW, mode=mode)
            assert (found.offsets, found.mode) == ({"t": {0: 1, 1: 2}}, mode)

    def test_one_that_says_none_is_not_guessed_at(self) -> None:
        last = Rewind(number=5, offsets={"t": {0: 1}}, mode=Mode.ONCE)
        with pytest.raises(PendingRewindError, match="say mode=once or mode=again for both"):
            rewound(last, 4, {("t", 1): 2}, now=NOW)
        assert rewound(last, 5, {("t", 1): 2}, now=NOW).mode is Mode.AGAIN

    def test_a_reset_takes_in_nothing_that_waits(self) -> None:
        last = Rewind(number=5, offsets={"t": {0: 1}}, mode=Mode.ONCE)
        assert reset(last, 4, now=NOW).mode is Mode.AGAIN
        assert reset(None, 0, now=NOW, mode=Mode.ONCE).mode is Mode.ONCE


PARTITIONS = st.tuples(st.sampled_from("ab"), st.integers(0, 2))
POSITIONS = st.dictionaries(PARTITIONS, st.none() | st.integers(0, 9))
WISHES = st.lists(st.none() | POSITIONS, max_size=5)
PLACES = st.dictionaries(PARTITIONS, st.integers(0, 9))


def moved(places: Places, wanted: Positions | None) -> Places:
    """Say where a sink stands after one wish; None is a reset."""
    if wanted is None:
        return {}
    stays = {key: place for key, place in places.items() if key not in wanted}
    return stays | {key: offset for key, offset in wanted.items() if offset is not None}


def applied(places: Places, rewind: Rewind) -> Places:
    """Do what a worker does with a rewind."""
    kept = {} if rewind.everything else dict(places)
    for topic, partitions in rewind.fresh.items():
        for partition in partitions:
            kept.pop((topic, partition), None)
    return kept | {(topic, partition): offset for topic, partition, offset in each(rewind.offsets)}


@given(PLACES, WISHES, st.sampled_from(Mode))
def test_many_wishes_come_to_the_same_as_one_after_another(
    places: Places, wishes: list[Positions | None], mode: Mode
) -> None:
    rewind: Rewind | None = None
    stepwise = places
    for wish in wishes:
        before = rewind.number if rewind else 0
        if wish is None:
            rewind = reset(rewind, 0, now=0, mode=mode)
        else:
            rewind = rewound(rewind, 0, wish, now=0, mode=mode)
        stepwise = moved(stepwise, wish)
        assert rewind.number > before
        assert rewind.mode is mode
    assert (applied(places, rewind) if rewind else places) == stepwise


@given(PLACES, WISHES, st.none() | POSITIONS)
def test_a_wish_after_an_applied_rewind_moves_nothing_else(
    places: Places, wishes: list[Positions | None], last: Positions | None
) -> None:
    rewind = Rewind(number=1)
    for wish in wishes:
        rewind = reset(rewind, 0, now=0) if wish is None else rewound(rewind, 0, wish, now=0)
    number = rewind.number
    final = reset(rewind, number, now=0) if last is None else rewound(rewind, number, last, now=0)
    assert applied(places, final) == moved(places, last)
