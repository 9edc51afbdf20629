"""What is particular to the Iceberg sinks: their tables know more than their groups (ADR 29)."""

from collections.abc import Mapping
from typing import Any

from frazil.contracts.naming import consumer_group
from frazil.contracts.offsets import Offsets
from frazil.contracts.plugins import UnknownPluginError, find_plugin

_OLDER = "io.tabular."


class UnevenTablesError(ValueError):
    """One table is further than another, so there is no offset at which both could go on."""


def is_iceberg(config: Mapping[str, str]) -> bool:
    try:
        return find_plugin(config.get("connector.class", "")).job == "iceberg"
    except UnknownPluginError:
        return False


def is_older(config: Mapping[str, str]) -> bool:
    """Tell Tabular's sink, whose truth is a group of its own, from Apache's."""
    return config["connector.class"].startswith(_OLDER)


def group_of(name: str, config: Mapping[str, str]) -> str:
    """Name the group that a sink of Kafka Connect's moves together with the files it tells of."""
    if is_older(config):
        return config.get("iceberg.control.group-id") or f"cg-control-{name}"
    return config.get("iceberg.connect.group-id") or consumer_group(name)


def reached(group: Offsets, ledgers: Mapping[str, Mapping[str, Any] | None]) -> Offsets:
    """Return where Frazil's sink has got to: its group, or its tables if they are further.

    The group is told after the commit, and not if the worker was killed in between.
    """
    ends = [_offsets(ledger["end"]) for ledger in ledgers.values() if ledger is not None]
    found = {topic: dict(partitions) for topic, partitions in group.items()}
    if len(ends) == len(ledgers):
        for topic, partition in {(t, p) for end in ends for t in end for p in end[t]}:
            least = min(end.get(topic, {}).get(partition, 0) for end in ends)
            known = found.setdefault(topic, {})
            known[partition] = max(least, known.get(partition, 0))
    for end in ends:
        for topic, partitions in end.items():
            if any(at > found.get(topic, {}).get(p, 0) for p, at in partitions.items()):
                raise UnevenTablesError
    return found


def _offsets(found: Mapping[str, Mapping[str, int]]) -> Offsets:
    return {
        topic: {int(p): at for p, at in partitions.items()} for topic, partitions in found.items()
    }
