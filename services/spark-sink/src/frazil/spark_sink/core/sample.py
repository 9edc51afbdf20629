"""Which records are looked at to tell what would become of a topic: the newest."""

from collections.abc import Mapping

from frazil.contracts.offsets import Offsets
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts


def newest(topics: Mapping[str, TopicFacts], records: int) -> BatchRange:
    """Take so many offsets, the same from each partition as far as they have them."""
    there = {
        (topic, partition): latest - facts.earliest[partition]
        for topic, facts in topics.items()
        for partition, latest in facts.latest.items()
    }
    start: Offsets = {topic: {} for topic in topics}
    # Those that have few leave the more to the others.
    for number, ((topic, partition), count) in enumerate(sorted(there.items(), key=_count)):
        share = min(count, -(-records // (len(there) - number)))
        start[topic][partition] = topics[topic].latest[partition] - share
        records -= share
    return BatchRange(start, {topic: dict(facts.latest) for topic, facts in topics.items()})


def _count(item: tuple[object, int]) -> int:
    return item[1]
