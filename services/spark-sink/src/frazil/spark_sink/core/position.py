"""Where to begin: from the ledger of the table, checked against what Kafka still holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.worker.errors import DataLossError


@dataclass(frozen=True)
class TopicFacts:
    """What the broker says of one topic; its id changes when it is deleted and made anew."""

    topic_id: str
    earliest: dict[int, int]
    latest: dict[int, int]


def first_position(topics: Mapping[str, TopicFacts], offset_reset: str) -> Offsets:
    """Position of a connector that has not written to the table yet."""
    return {
        topic: dict(facts.latest if offset_reset == "latest" else facts.earliest)
        for topic, facts in topics.items()
    }


def next_position(ledger: Ledger, topics: Mapping[str, TopicFacts], on_data_loss: str) -> Offsets:
    """Go on where the ledger ends.

    Partitions that the ledger does not know are new and begin at their earliest offset. A topic
    made anew, or offsets that are gone, would lose or repeat records: that fails, unless the user
    has chosen otherwise.
    """
    return {
        topic: {
            partition: _resume(ledger, topic, partition, facts, on_data_loss)
            for partition in sorted(facts.earliest)
        }
        for topic, facts in topics.items()
    }


def _resume(
    ledger: Ledger, topic: str, partition: int, facts: TopicFacts, on_data_loss: str
) -> int:
    earliest, latest = facts.earliest[partition], facts.latest[partition]
    done = ledger.end.get(topic, {}).get(partition)
    if done is None:
        return earliest
    problem = _problem(ledger, topic, partition, facts)
    if problem is None:
        return done
    if on_data_loss == "fail":
        raise DataLossError(
            f"{problem} To go on with what is there set frazil.on.data.loss to `earliest` "
            "(may repeat records) or `latest` (may skip records), then restart."
        )
    return earliest if on_data_loss == "earliest" else latest


def _problem(ledger: Ledger, topic: str, partition: int, facts: TopicFacts) -> str | None:
    earliest, latest = facts.earliest[partition], facts.latest[partition]
    done = ledger.end[topic][partition]
    known_id = ledger.topic_ids.get(topic)
    if known_id is not None and known_id != facts.topic_id:
        return f"Topic {topic} was deleted and made anew since the last commit (offset {done})."
    if done < earliest:
        return (
            f"Offsets {done} to {earliest - 1} of {topic}-{partition} are gone: retention removed "
            "them before they were written."
        )
    if done > latest:
        return (
            f"The table is at offset {done} of {topic}-{partition}, but the topic ends at {latest}."
        )
    return None
