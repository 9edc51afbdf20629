"""What waits is cut into batches of so many bytes, and nothing of it is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.contracts.offsets import each
from frazil.spark_sink.core.batches import (
    BATCH_BYTES,
    FIRST_RECORDS,
    MOST_GROWTH,
    BatchSize,
    first_part,
)
from frazil.spark_sink.core.offset_log import BatchRange

WIDE, NARROW = 1_000, 100


def size_after(*batches: tuple[int, int], most: int | None = None) -> int:
    size = BatchSize(most)
    for records, weighed in batches:
        size.learn(records, weighed)
    return size.records


@pytest.mark.parametrize(
    ("batches", "most", "expected"),
    [
        pytest.param([], None, FIRST_RECORDS, id="the first batch is small"),
        pytest.param([], 7, 7, id="and smaller still if a user wants that"),
        pytest.param(
            [(10, 10 * WIDE)], None, BATCH_BYTES // WIDE, id="then its bytes decide, not its number"
        ),
        pytest.param(
            [(10, 10 * NARROW)], None, MOST_GROWTH * FIRST_RECORDS, id="it grows step by step"
        ),
        pytest.param(
            [(10, 10 * NARROW)] * 2, None, BATCH_BYTES // NARROW, id="narrow records are many"
        ),
        pytest.param(
            [(10, 10 * NARROW), (9, 9 * WIDE)], None, BATCH_BYTES // WIDE, id="it shrinks at once"
        ),
        pytest.param([(10, 10 * WIDE)], 5_000, 5_000, id="a user's limit is above all"),
        pytest.param([(1, 2 * BATCH_BYTES)], None, 1, id="a record is a batch at least"),
        pytest.param([(10, 0), (0, 0)], None, FIRST_RECORDS, id="of nothing nothing is learnt"),
    ],
)
def test_a_batch_has_as_many_records_as_make_its_bytes(
    batches: list[tuple[int, int]], most: int | None, expected: int
) -> None:
    assert size_after(*batches, most=most) == expected


def test_each_batch_is_cut_by_what_the_last_one_weighed() -> None:
    size = BatchSize(None)
    whole = BatchRange({"t": {0: 0}}, {"t": {0: 3 * BATCH_BYTES // WIDE}})
    ends = []
    for part in size.cut(whole):
        ends.append(part.end["t"][0])
        size.learn(part.end["t"][0] - part.start["t"][0], 0 if ends[1:] else WIDE * ends[0])
    share = BATCH_BYTES // WIDE
    assert ends == [FIRST_RECORDS + share * number for number in range(3)] + [whole.end["t"][0]]


@pytest.mark.parametrize(
    ("start", "end", "most", "expected"),
    [
        pytest.param({0: 5}, {0: 9}, 4, {0: 9}, id="what fits is left whole"),
        pytest.param({0: 5, 1: 0}, {0: 45, 1: 20}, 6, {0: 9, 1: 2}, id="each gives its share"),
        pytest.param({0: 5}, {0: 9, 1: 8}, 6, {0: 7, 1: 4}, id="a new one is read from its start"),
        pytest.param({0: 0, 1: 0}, {0: 3, 1: 3}, 1, {0: 0, 1: 1}, id="one record is enough"),
    ],
)
def test_a_part_has_the_same_share_of_each_partition(
    start: dict[int, int], end: dict[int, int], most: int, expected: dict[int, int]
) -> None:
    part = first_part(BatchRange({"t": start}, {"t": end}), most)
    assert part == BatchRange({"t": start}, {"t": expected})


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=6),
    st.integers(1, 40),
)
def test_parts_follow_each_other_to_the_end(bounds: list[tuple[int, int]], most: int) -> None:
    start = {number: begin for number, (begin, _) in enumerate(bounds)}
    end = {number: begin + count for number, (begin, count) in enumerate(bounds)}
    parts = list(BatchSize(most).cut(BatchRange({"t": start}, {"t": end})))
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
    assert (parts[0].start, parts[-1].end) == ({"t": start}, {"t": end})
    sizes = [
        sum(at - part.start["t"][number] for _, number, at in each(part.end)) for part in parts
    ]
    assert sizes[:-1] == [most] * (len(parts) - 1)
    assert sizes[-1] <= most
