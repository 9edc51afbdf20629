"""The newest records of topics: as many as asked for where they are, from all partitions alike."""

from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.offsets import count_between
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.core.sample import newest

ENDS = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(sorted)
TOPICS = st.dictionaries(
    st.sampled_from("tuv"), st.dictionaries(st.integers(0, 5), ENDS, min_size=1), min_size=1
)


def facts(ends: dict[str, dict[int, list[int]]]) -> dict[str, TopicFacts]:
    return {
        topic: TopicFacts(
            f"id-{topic}",
            {number: first for number, (first, _) in parts.items()},
            {number: last for number, (_, last) in parts.items()},
        )
        for topic, parts in ends.items()
    }


def test_partitions_that_have_few_leave_more_to_the_others() -> None:
    topics = facts({"t": {0: [0, 100], 1: [90, 92]}, "u": {0: [0, 100]}})
    span = newest(topics, 12)
    assert span.start == {"t": {0: 95, 1: 90}, "u": {0: 95}}
    assert span.end == {"t": {0: 100, 1: 92}, "u": {0: 100}}


@given(TOPICS, st.integers(1, 200))
def test_all_that_is_asked_for_is_taken_and_nothing_that_is_not_there(
    ends: dict[str, dict[int, list[int]]], records: int
) -> None:
    topics = facts(ends)
    span = newest(topics, records)
    there = sum(last - first for parts in ends.values() for first, last in parts.values())
    assert count_between(span.start, span.end) == min(records, there)
    for topic, parts in ends.items():
        assert all(first <= span.start[topic][p] <= last for p, (first, last) in parts.items())
