"""Arithmetic of positions in topics."""

from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.offsets import Offsets, count_between, covers, each

_OFFSETS = st.dictionaries(
    st.sampled_from(["a", "b", "c"]), st.dictionaries(st.integers(0, 3), st.integers(0, 1000))
)
_COMPLETE = st.fixed_dictionaries(
    {"a": st.fixed_dictionaries({0: st.integers(0), 1: st.integers(0)})}
)


def moved(offsets: Offsets, by: int) -> Offsets:
    return {
        topic: {partition: offset + by for partition, offset in partitions.items()}
        for topic, partitions in offsets.items()
    }


@given(offsets=_OFFSETS)
def test_nothing_lies_between_a_position_and_itself(offsets: Offsets) -> None:
    assert count_between(offsets, offsets) == 0


@given(offsets=_OFFSETS, by=st.integers(0, 50))
def test_records_between_are_counted_in_every_partition(offsets: Offsets, by: int) -> None:
    assert count_between(offsets, moved(offsets, by)) == by * len(list(each(offsets)))


@given(start=_COMPLETE, middle=_COMPLETE, end=_COMPLETE)
def test_counts_of_adjoining_ranges_add_up(start: Offsets, middle: Offsets, end: Offsets) -> None:
    assert count_between(start, middle) + count_between(middle, end) == count_between(start, end)


def test_a_partition_unknown_at_the_start_began_at_zero() -> None:
    assert count_between({"a": {0: 5}}, {"a": {0: 8, 1: 4}}) == 7


@given(offsets=_OFFSETS, by=st.integers(0, 50))
def test_a_position_covers_itself_and_what_lies_before(offsets: Offsets, by: int) -> None:
    assert covers(moved(offsets, by), offsets)


@given(offsets=_OFFSETS.filter(lambda offsets: any(offsets.values())))
def test_a_position_does_not_cover_what_lies_ahead(offsets: Offsets) -> None:
    assert not covers(offsets, moved(offsets, 1))


@given(one=_OFFSETS, two=_OFFSETS)
def test_positions_that_cover_each_other_are_equal_where_they_say_anything(
    one: Offsets, two: Offsets
) -> None:
    both = covers(one, two) and covers(two, one)
    assert both == (sorted(each(one)) == sorted(each(two)))


def test_a_new_partition_is_not_covered_even_at_its_beginning() -> None:
    assert not covers({"a": {0: 5}}, {"a": {0: 5, 1: 0}})
