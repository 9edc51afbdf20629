"""A batch is cut into the work of tasks: nothing is lost, nothing is read twice."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.spark_sink.core.ranges import SMALLEST_TASK, pieces
from frazil.spark_sink.tasks.offset_range import OffsetRange


def a(start: int, end: int, partition: int = 0) -> OffsetRange:
    return OffsetRange("t", partition, start, end)


@pytest.mark.parametrize(
    ("ranges", "tasks", "expected"),
    [
        pytest.param([], 2, [], id="an empty batch has no task"),
        pytest.param([a(5, 5)], 2, [], id="nor has one that begins where it ends"),
        pytest.param([a(0, 9), a(0, 9, 1)], 4, [(a(0, 9), a(0, 9, 1))], id="a small one has one"),
        pytest.param(
            [a(0, 20_000)], 2, [(a(0, 10_000),), (a(10_000, 20_000),)], id="a partition is cut"
        ),
        pytest.param(
            [a(0, 15_000), a(0, 15_000, 1), a(0, 0, 2)],
            2,
            [(a(0, 15_000),), (a(0, 15_000, 1),)],
            id="partitions of one size are left whole",
        ),
        pytest.param(
            [a(0, 6_000), a(0, 14_000, 1)],
            2,
            [(a(0, 6_000), a(0, 4_000, 1)), (a(4_000, 14_000, 1),)],
            id="a task has the rest of one and the beginning of another",
        ),
        pytest.param(
            [a(0, 5, 10), a(0, 5, 2), OffsetRange("s", 11, 0, 5)],
            1,
            [(OffsetRange("s", 11, 0, 5), a(0, 5, 2), a(0, 5, 10))],
            id="a task reads in the order in which records change a schema",
        ),
    ],
)
def test_tasks_get_as_much_as_the_others(
    ranges: list[OffsetRange], tasks: int, expected: list[tuple[OffsetRange, ...]]
) -> None:
    assert pieces(ranges, tasks) == expected


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=6), st.integers(1, 8)
)
def test_each_offset_is_in_one_piece(bounds: list[tuple[int, int]], tasks: int) -> None:
    ranges = [a(start, start + count, number) for number, (start, count) in enumerate(bounds)]
    cut = pieces(ranges, tasks)
    assert len(cut) <= tasks
    whole: dict[int, list[OffsetRange]] = {}
    for one in (one for piece in cut for one in piece):
        assert one.start < one.end
        whole.setdefault(one.partition, []).append(one)
    for one in ranges:
        parts = whole.pop(one.partition, [])
        assert [part.end for part in parts[:-1]] == [part.start for part in parts[1:]]
        if one.start < one.end:
            assert (parts[0].start, parts[-1].end) == (one.start, one.end)
        else:
            assert parts == []
    sizes = [sum(one.end - one.start for one in piece) for piece in cut]
    assert all(size >= SMALLEST_TASK for size in sizes[:-1])
