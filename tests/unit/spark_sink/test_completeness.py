"""Through when all is there: true with partitions that rest, and never less than was said."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.spark_sink.completeness import Completeness
from frazil.spark_sink.core.watermark import LATENESS, Partition, Watermark
from frazil.worker.errors import UnavailableError

NOW = datetime(2026, 11, 19, 12, tzinfo=UTC)
END: Offsets = {"t": {0: 5, 1: 5}}
A, B = ("t", 0), ("t", 1)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def test_the_slowest_partition_decides() -> None:
    watermark = Watermark()
    watermark.read({A: ago(30), B: ago(90)}, NOW)
    assert watermark.through(END) == ago(90)


def test_a_partition_of_which_nothing_is_known_leaves_it_open() -> None:
    watermark = Watermark()
    watermark.read({A: ago(30)}, NOW)
    assert watermark.through(END) is None
    assert watermark.through({}) is None


def test_a_partition_that_rests_holds_nothing_up() -> None:
    watermark = Watermark()
    watermark.read({A: ago(30)}, NOW)
    watermark.rested([B], NOW)
    assert watermark.through(END) == ago(30)


def test_what_rests_may_still_get_records_that_are_a_little_older() -> None:
    watermark = Watermark()
    watermark.rested([A, B], NOW)
    assert watermark.through(END) == NOW - LATENESS


def test_a_producer_whose_clock_is_ahead_promises_nothing() -> None:
    watermark = Watermark()
    watermark.read({A: ago(-3600), B: ago(-60)}, NOW)
    assert watermark.through(END) == NOW


STEPS = st.lists(
    st.tuples(st.sampled_from([A, B]), st.integers(-100, 1000), st.booleans()), max_size=30
)


@given(STEPS)
def test_it_never_goes_back_and_never_beyond_now(
    steps: list[tuple[Partition, int, bool]],
) -> None:
    watermark, said = Watermark(ago(500), END), ago(500)
    for partition, seconds, rests in steps:
        if rests:
            watermark.rested([partition], NOW)
        else:
            watermark.read({partition: ago(seconds)}, NOW)
        through = watermark.through(END)
        assert through is not None
        assert said <= through <= NOW
        said = through


def ledger(end: Offsets, valid_through: datetime | None) -> Ledger:
    return Ledger(
        connector="c", epoch=1, run="r", cluster_id="", topic_ids={}, start={}, end=end,
        valid_through=valid_through,
    )  # fmt: skip


def nobody(_end: Offsets) -> Iterable[Partition]:
    return ()


def test_a_start_goes_on_where_the_slowest_table_was() -> None:
    completeness = Completeness(nobody)
    completeness.begin([ledger(END, ago(60)), ledger(END, ago(300))])
    assert completeness.at_rest(END) == ago(300)


@pytest.mark.parametrize(
    "ledgers",
    [
        [],
        [ledger(END, ago(60)), None],
        [ledger(END, ago(60)), ledger(END, None)],
        [ledger(END, ago(60)), ledger({"t": {0: 5}}, ago(60))],
    ],
    ids=["no table", "a new table", "one that does not know", "a partition that one does not know"],
)
def test_nothing_is_promised_of_what_a_table_does_not_know(ledgers: list[Ledger | None]) -> None:
    completeness = Completeness(nobody)
    completeness.begin(ledgers)
    assert completeness.at_rest(END) is None


def test_a_broker_that_is_away_costs_no_more_than_news_of_what_rests() -> None:
    def away(_end: Offsets) -> Iterable[Partition]:
        raise UnavailableError("no broker")

    completeness = Completeness(away)
    assert completeness.after([{A: ago(60)}, {B: ago(30)}], END) == ago(60)
