"""Connect's offsets API as data: what is wanted of partitions, and the rewind that it comes to."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from frazil.contracts.offsets import Mode, Offsets, Rewind, each
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.iceberg_tables import LISTED, is_dynamic, writes_tables
from frazil.control_api.core.errors import BadRequestError, PendingRewindError
from frazil.control_api.core.side_branches import require_ended, side_name


@dataclass(frozen=True, slots=True)
class Since:
    """Go on at the first record of this time or later; at the end if there is none."""

    ms: int


Positions = Mapping[tuple[str, int], int | None]
"""By topic and partition the offset to go on at; None: as if it had never been read."""
Wishes = Mapping[tuple[str, int], int | Since | None]
"""The same, where only the broker knows which offset a time comes to."""

TOPIC, PARTITION, OFFSET = "kafka_topic", "kafka_partition", "kafka_offset"
TIMESTAMP = "kafka_timestamp"  # not Connect's
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class PartitionOffset:
    """One entry on the wire, its maps as the connector knows them; no offset: to be forgotten."""

    partition: Mapping[str, Any] | None
    offset: Mapping[str, Any] | None


def sink_entries(offsets: Offsets) -> list[PartitionOffset]:
    """Spell a consumer group's offsets as Connect does."""
    return [
        PartitionOffset({TOPIC: topic, PARTITION: partition}, {OFFSET: offset})
        for topic, partition, offset in sorted(each(offsets))
    ]


def sink_wishes(name: str, entries: Iterable[PartitionOffset]) -> Wishes:
    """Read what is wanted of a sink; later entries win, and each fault has Connect's sentence."""
    wishes = {_topic_partition(entry.partition): _wish(entry.offset) for entry in entries}
    for (topic, partition), offset in wishes.items():
        if isinstance(offset, int) and offset < 0:
            raise BadRequestError(
                f"Failed to modify offsets for sink connector {name}: the offset {offset} of "
                f"{topic}-{partition} is negative"
            )
    return wishes


def _topic_partition(partition: Mapping[str, Any] | None) -> tuple[str, int]:
    if partition is None:
        raise BadRequestError("The partition for a sink connector offset cannot be null or missing")
    if not {TOPIC, PARTITION} <= partition.keys():
        raise BadRequestError(
            f"The partition for a sink connector offset must contain the keys '{TOPIC}' and "
            f"'{PARTITION}'"
        )
    if partition[TOPIC] is None:
        raise BadRequestError("Kafka topic names must be valid strings and may not be null")
    if partition[PARTITION] is None:
        raise BadRequestError("Kafka partitions must be valid numbers and may not be null")
    return str(partition[TOPIC]), _integer(partition[PARTITION], "partition", bits=32)


def _wish(offset: Mapping[str, Any] | None) -> int | Since | None:
    if offset is None:
        return None
    if TIMESTAMP in offset and OFFSET not in offset:
        return Since(_moment(offset[TIMESTAMP]))
    if OFFSET not in offset:
        raise BadRequestError(
            f"The offset for a sink connector should either be null or contain the key '{OFFSET}'"
        )
    return _integer(offset[OFFSET], "offset", bits=64)


def _moment(value: object) -> int:
    """Read milliseconds since 1970, or a time as people write it, with its offset from UTC."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62:
        return value
    with suppress(ValueError):
        moment = datetime.fromisoformat(str(value))
        if moment.tzinfo is not None:
            return int(moment.timestamp() * 1000)
    raise BadRequestError(
        f"Failed to parse the following Kafka timestamp in the provided offsets: '{value}'. Give "
        "milliseconds since 1970, or a time such as 2026-11-19T08:00:00Z."
    )


def _integer(value: object, what: str, *, bits: int) -> int:
    text = "null" if value is None else str(value)
    limit = 2 ** (bits - 1)
    if len(text) < bits and _INTEGER.fullmatch(text) and -limit <= int(text) < limit:
        return int(text)
    raise BadRequestError(
        f"Failed to parse the following Kafka {what} value in the provided offsets: '{text}'. "
        f"{what.capitalize()} values for sink connectors need to be integers."
    )


def require_possible(config: ParsedConfig, mode: Mode) -> None:
    """A mode says what becomes of rows, and commits are undone in tables known from the start."""
    if not writes_tables(config):
        raise BadRequestError(
            "This connector writes to no Iceberg table, and what it has written stays: leave out "
            "the parameter mode."
        )
    if mode is not Mode.AGAIN and is_dynamic(config):
        raise BadRequestError(
            f"mode={mode} takes rows back from the tables listed in {LISTED}, and the records of "
            "this connector name theirs. Delete the rows yourself, and leave out the parameter."
        )


def mode_of(last: Rewind | None, applied: int, mode: Mode | None) -> Mode:
    """Return the mode of a rewind, and of those that it takes in: the newest word on it counts."""
    require_ended(last, applied)
    pending = _pending(last, applied)
    if mode is None and pending.mode is not Mode.AGAIN:
        raise PendingRewindError(
            f"A rewind with mode={pending.mode} waits for the next worker, and this one would "
            f"become one with it: say mode={pending.mode} or mode={Mode.AGAIN} for both."
        )
    return mode or Mode.AGAIN


def rewound(
    last: Rewind | None,
    applied: int,
    positions: Positions,
    *,
    now: float,
    mode: Mode | None = None,
    branch: str | None = None,
) -> Rewind:
    """Add positions to the last rewind if no worker has applied it yet, else to none."""
    pending = _pending(last, applied)
    wanted = {**_positions(pending), **positions}
    offsets: Offsets = {}
    fresh: dict[str, list[int]] = {}
    for (topic, partition), offset in sorted(wanted.items(), key=lambda item: item[0]):
        if offset is None:
            fresh.setdefault(topic, []).append(partition)
        else:
            offsets.setdefault(topic, {})[partition] = offset
    number, mode = _next_number(last, applied, now), mode_of(last, applied, mode)
    return Rewind(
        number=number,
        offsets=offsets,
        fresh=fresh,
        everything=pending.everything,
        mode=mode,
        branch=side_name(pending, mode, branch, number=number),
    )


def reset(
    last: Rewind | None,
    applied: int,
    *,
    now: float,
    mode: Mode | None = None,
    branch: str | None = None,
) -> Rewind:
    """Begin everything anew, whatever was wanted before."""
    require_ended(last, applied)
    number, mode = _next_number(last, applied, now), mode or Mode.AGAIN
    branch = side_name(_pending(last, applied), mode, branch, number=number)
    return Rewind(number=number, everything=True, mode=mode, branch=branch)


def _pending(last: Rewind | None, applied: int) -> Rewind:
    waits = last is not None and last.number > applied and last.ending is None
    return last if last is not None and waits else Rewind(number=0)


def _positions(rewind: Rewind) -> dict[tuple[str, int], int | None]:
    going_on = {(topic, partition): offset for topic, partition, offset in each(rewind.offsets)}
    fresh = {(topic, partition): None for topic, ps in rewind.fresh.items() for partition in ps}
    return {**going_on, **fresh}


def _next_number(last: Rewind | None, applied: int, now: float) -> int:
    """Grow, and start from the time of day: a table remembers numbers longer than a database."""
    return max((last.newest if last else 0) + 1, applied + 1, int(now))
