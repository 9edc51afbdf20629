"""Committed offsets of consumer groups, read and altered in the broker itself."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from aiokafka.errors import KafkaError, for_code
from aiokafka.protocol.admin import DeleteGroupsRequest
from aiokafka.protocol.commit import OffsetCommitRequest, OffsetFetchRequest
from aiokafka.protocol.coordination import FindCoordinatorRequest
from aiokafka.protocol.offset import OffsetRequest, OffsetResetStrategy
from aiokafka.structs import TopicPartition

from frazil.contracts.offsets import Offsets
from frazil.control_api.core.errors import GroupBusyError, UnknownPartitionError
from frazil.control_api.core.offsets import Positions
from frazil.control_api.kafka.clients import connected
from frazil.control_api.kafka.offset_delete import OffsetDeleteRequest

_UNKNOWN_PARTITION = 3
_NO_SUCH_GROUP = 69
# What a broker says to a stranger while members live: each of them owns the offsets.
_BUSY = frozenset({22, 25, 27, 68, 86})
_PAUSE = 0.2

_Entry = TypeVar("_Entry")


class ConsumerGroups:
    """A GroupOffsets; every call has a connection of its own, for calls are rare."""

    async def read(self, properties: Mapping[str, str], group: str) -> Offsets:
        async with connected(properties) as client:
            response = await _ask(client, group, OffsetFetchRequest(group, None))
        _check([response.error_code])
        offsets: Offsets = {}
        for topic, partitions in response.topics:
            _check(code for *_, code in partitions)
            found = {number: offset for number, offset, *_ in partitions if offset >= 0}
            if found:
                offsets[topic] = found
        return offsets

    async def at(
        self, properties: Mapping[str, str], times: Mapping[tuple[str, int], int]
    ) -> Mapping[tuple[str, int], int]:
        async with connected(properties) as client:
            cluster = await _with_partitions(client, times)
            found = await _offsets_at(client, cluster, times)
            beyond = {key: OffsetResetStrategy.LATEST for key, at in found.items() if at < 0}
            return {**found, **await _offsets_at(client, cluster, beyond)}

    async def alter(self, properties: Mapping[str, str], group: str, positions: Positions) -> None:
        forgotten = [key for key, offset in positions.items() if offset is None]
        commits = [(t, (p, at, "")) for (t, p), at in positions.items() if at is not None]
        async with connected(properties) as client:
            await _with_partitions(client, positions)
            if forgotten:
                request = OffsetDeleteRequest(group, _by_topic(forgotten))
                response = await _ask(client, group, request)
                codes = [code for _, partitions in response.topics for _, code in partitions]
                _check([response.error_code, *codes], fine=_NO_SUCH_GROUP)
            if commits:
                # No generation and no member: the word of one who stands outside of the group.
                commit = OffsetCommitRequest(group, -1, "", -1, _by_topic(commits))
                response = await _ask(client, group, commit)
                _check(code for _, partitions in response.topics for _, code in partitions)

    async def delete(self, properties: Mapping[str, str], group: str) -> None:
        async with connected(properties) as client:
            response = await _ask(client, group, DeleteGroupsRequest([group]))
        _check((code for _, code in response.results), fine=_NO_SUCH_GROUP)


async def _offsets_at(
    client: Any, cluster: Any, times: Mapping[tuple[str, int], int]
) -> dict[tuple[str, int], int]:
    """Ask the leader of each partition for the offset of a time; -1 if no record is that late."""
    leaders: dict[int, list[tuple[str, tuple[int, int]]]] = {}
    for (topic, partition), ms in times.items():
        leader = cluster.leader_for_partition(TopicPartition(topic, partition))
        leaders.setdefault(leader, []).append((topic, (partition, ms)))
    found: dict[tuple[str, int], int] = {}
    for leader, asked in leaders.items():
        response = await client.send(leader, OffsetRequest(-1, 0, _by_topic(asked)))
        for topic, partitions in response.topics:
            _check(code for _, code, *_ in partitions)
            found |= {(topic, number): at for number, _, _, at, *_ in partitions}
    return found


async def _with_partitions(client: Any, positions: Iterable[tuple[str, int]]) -> Any:
    """Return the cluster, if it has them: a commit would take the good ones and leave the bad."""
    # All of them, for to ask for one that does not exist may create it.
    cluster = await client.fetch_all_metadata()
    for topic, partition in positions:
        if partition not in (cluster.partitions_for_topic(topic) or ()):
            raise UnknownPartitionError(f"the cluster has no partition {partition} of {topic!r}")
    return cluster


async def _ask(client: Any, group: str, request: Any) -> Any:
    """Ask the group's coordinator, which may have to be made or to move before it answers."""
    while True:
        try:
            found = await client.send(client.get_random_node(), FindCoordinatorRequest(group, 0))
            _check([found.error_code])
            return await client.send(found.coordinator_id, request)
        except KafkaError as error:
            if not error.retriable:
                raise
            await client.force_metadata_update()
            await asyncio.sleep(_PAUSE)


def _by_topic(entries: Iterable[tuple[str, _Entry]]) -> list[tuple[str, list[_Entry]]]:
    topics: dict[str, list[_Entry]] = {}
    for topic, entry in entries:
        topics.setdefault(topic, []).append(entry)
    return list(topics.items())


def _check(codes: Iterable[int], *, fine: int = 0) -> None:
    for code in codes:
        if code in _BUSY:
            raise GroupBusyError("the group has members")
        if code == _UNKNOWN_PARTITION:
            raise UnknownPartitionError("the cluster has no such topic or partition")
        if code not in (0, fine):
            raise for_code(code)
