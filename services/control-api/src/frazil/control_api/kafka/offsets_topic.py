"""The topic in which sources keep their offsets: keys and values as Kafka Connect writes them."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from frazil.control_api.core.offsets import PartitionOffset
from frazil.control_api.kafka.clients import broker_errors, client_arguments, connected

_PARTITIONS = 25  # Connect's own default
_REPLICAS = 3
_POLL_MS = 100

_Partitions = dict[TopicPartition, int]


@dataclass(frozen=True, slots=True)
class _Stored:
    """A record of our connector, with its key as it was written: Java may order keys otherwise."""

    key: bytes
    partition: dict[str, Any]
    offset: dict[str, Any]


class KafkaOffsetsTopic:
    """An OffsetsTopic; every call reads anew, so nothing can be out of date."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    async def read(self, properties: Mapping[str, str], connector: str) -> list[PartitionOffset]:
        stored = await self._stored(properties, connector)
        return [PartitionOffset(one.partition, one.offset) for one in stored]

    async def write(
        self, properties: Mapping[str, str], connector: str, entries: Sequence[PartitionOffset]
    ) -> None:
        stored = await self._stored(properties, connector)
        records = [record for entry in entries for record in _records(connector, entry, stored)]
        async with broker_errors(properties):
            arguments = await asyncio.to_thread(client_arguments, properties)
            await self._create_topic(arguments)
            producer = AIOKafkaProducer(
                **arguments, transactional_id=f"frazil-offsets-{connector}", acks="all"
            )
            try:
                await producer.start()
                async with producer.transaction():
                    for key, value in records:
                        await producer.send(self._topic, value, key=key)
            finally:
                await producer.stop()

    async def _stored(self, properties: Mapping[str, str], connector: str) -> list[_Stored]:
        async with connected(properties) as client:
            # All topics, for to ask for one that does not exist may create it.
            cluster = await client.fetch_all_metadata()
            numbers = cluster.partitions_for_topic(self._topic) or ()
        if not numbers:
            return []
        async with broker_errors(properties):
            arguments = await asyncio.to_thread(client_arguments, properties)
            records = await _read_all([TopicPartition(self._topic, n) for n in numbers], arguments)
        return list(_of(connector, records))

    async def _create_topic(self, arguments: Mapping[str, Any]) -> None:
        admin = AIOKafkaAdminClient(**arguments)
        try:
            await admin.start()
            if self._topic not in await admin.list_topics():
                brokers = len((await admin.describe_cluster())["brokers"])
                topic = NewTopic(
                    self._topic,
                    _PARTITIONS,
                    min(brokers, _REPLICAS),
                    topic_configs={"cleanup.policy": "compact"},
                )
                await admin.create_topics([topic])
        finally:
            await admin.close()


async def _read_all(
    partitions: Sequence[TopicPartition], arguments: Mapping[str, Any]
) -> dict[bytes, bytes | None]:
    """Read what is committed now to its end, the last value of each key; the end may move on."""
    consumer = AIOKafkaConsumer(
        **arguments, isolation_level="read_committed", enable_auto_commit=False
    )
    latest: dict[bytes, bytes | None] = {}
    try:
        await consumer.start()
        consumer.assign(partitions)
        await consumer.seek_to_beginning(*partitions)
        ends = await consumer.end_offsets(partitions)
        while not await _is_read(consumer, ends):
            found = await consumer.getmany(timeout_ms=_POLL_MS)
            for record in (record for records in found.values() for record in records):
                latest[record.key] = record.value
    finally:
        await consumer.stop()
    return latest


async def _is_read(consumer: AIOKafkaConsumer, ends: _Partitions) -> bool:
    for partition, end in ends.items():
        # An open transaction holds back what comes after its beginning.
        stable = consumer.last_stable_offset(partition)
        goal = end if stable is None else min(end, stable)
        if await consumer.position(partition) < goal:
            return False
    return True


def _of(connector: str, records: Mapping[bytes, bytes | None]) -> Iterator[_Stored]:
    for key, value in records.items():
        name, partition = _parsed(key)
        if name == connector and value is not None:
            yield _Stored(key, partition, json.loads(value))


def _parsed(key: bytes | None) -> tuple[str | None, dict[str, Any]]:
    """Take a key apart; a topic may hold records of others, which are nobody's."""
    try:
        name, partition = json.loads(key or b"")
    except ValueError:
        return None, {}
    return (name, partition) if isinstance(partition, dict) else (None, {})


def _records(
    connector: str, entry: PartitionOffset, stored: Iterable[_Stored]
) -> Iterator[tuple[bytes, bytes | None]]:
    """Spell an entry as records, under each key that its partition has had."""
    partition = dict(entry.partition or {})
    keys = [one.key for one in stored if one.partition == partition]
    value = None if entry.offset is None else _json(dict(entry.offset))
    for key in keys or [_json([connector, partition])]:
        yield key, value


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
