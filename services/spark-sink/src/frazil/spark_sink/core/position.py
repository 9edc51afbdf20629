"""Where to begin: from the newest ledger, checked against what Kafka still holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets, Rewind, each
from frazil.worker.errors import DataLossError


@dataclass(frozen=True)
class TopicFacts:
    """What the broker says of one topic; its id changes when it is deleted and made anew."""

    topic_id: str
    earliest: dict[int, int]
    latest: dict[int, int]


def first_position(topics: Mapping[str, TopicFacts], offset_reset: str) -> Offsets:
    """Position of a connector that has written nothing yet."""
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


def rewound_position(
    ledger: Ledger | None,
    topics: Mapping[str, TopicFacts],
    rewind: Rewind,
    *,
    offset_reset: str,
    on_data_loss: str,
) -> Offsets:
    """Go on where the user wants, and elsewhere as if there were no such wish.

    What the ledger says of rewound partitions does not count: a rewind is a way out of data loss.
    """
    position = first_position(topics, offset_reset)
    if ledger is not None and not rewind.everything:
        kept = next_position(_spared(ledger, rewind), topics, on_data_loss)
        for topic, partition, offset in each(kept):
            if partition not in rewind.fresh.get(topic, ()):
                position[topic][partition] = offset
    for topic, partition, offset in each(rewind.offsets):
        if partition in position.get(topic, {}):
            position[topic][partition] = _held(
                topic, partition, offset, facts=topics[topic], on_data_loss=on_data_loss
            )
    return position


def wished(
    topics: Mapping[str, TopicFacts], rewind: Rewind, *, offset_reset: str, on_data_loss: str
) -> Offsets:
    """Return where the partitions go on that the user moves, and no others."""
    rules = {"offset_reset": offset_reset, "on_data_loss": on_data_loss}
    position = rewound_position(None, topics, rewind, **rules)
    return {
        topic: {p: offset for p, offset in partitions.items() if rewind.moves(topic, p)}
        for topic, partitions in position.items()
    }


def _spared(ledger: Ledger, rewind: Rewind) -> Ledger:
    """Take out of a ledger what it says of rewound partitions."""
    end = {
        topic: {p: offset for p, offset in partitions.items() if not rewind.moves(topic, p)}
        for topic, partitions in ledger.end.items()
    }
    return ledger.model_copy(update={"end": end})


def _held(topic: str, partition: int, offset: int, *, facts: TopicFacts, on_data_loss: str) -> int:
    """Return the offset that a user wants, if the topic has it."""
    earliest, latest = facts.earliest[partition], facts.latest[partition]
    if earliest <= offset <= latest:
        return offset
    if on_data_loss == "fail":
        raise DataLossError(
            f"Offset {offset} of {topic}-{partition} was asked for, but the topic holds {earliest} "
            f"to {latest}. Stop the connector and ask for one of these, or set "
            "frazil.on.data.loss to `earliest` or `latest`, then restart."
        )
    return earliest if on_data_loss == "earliest" else latest


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
            f"Records before offset {done} of {topic}-{partition} were written, but the topic ends "
            f"at {latest}."
        )
    return None
