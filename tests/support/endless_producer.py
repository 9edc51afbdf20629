"""A producer that goes on whatever befalls its broker; what came through only the topic knows."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError

_AT_ONCE = 50
_PAUSE_SECONDS = 0.1


def create_topic(servers: str, topic: str, partitions: int) -> None:
    async def create() -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=servers)
        await admin.start()
        try:
            await admin.create_topics([NewTopic(topic, partitions, 1)])
        finally:
            await admin.close()

    asyncio.run(create())


@contextmanager
def producing(servers: str, topic: str, values: Iterator[bytes]) -> Iterator[None]:
    ended = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_produce(servers, topic, values, ended)))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


async def _produce(
    servers: str, topic: str, values: Iterator[bytes], ended: threading.Event
) -> None:
    while not ended.is_set():
        producer = AIOKafkaProducer(bootstrap_servers=servers, request_timeout_ms=5000)
        try:
            await producer.start()
            while not ended.is_set():
                sent = [await producer.send(topic, next(values)) for _ in range(_AT_ONCE)]
                await asyncio.gather(*sent)
                await asyncio.sleep(_PAUSE_SECONDS)
        except KafkaError:
            await asyncio.sleep(_PAUSE_SECONDS)
        finally:
            await producer.stop()


def values_of(servers: str, topic: str, partitions: int) -> list[bytes]:
    """Read a topic from its beginning to its end."""
    return asyncio.run(_values_of(servers, topic, partitions))


async def _values_of(servers: str, topic: str, partitions: int) -> list[bytes]:
    async with AIOKafkaConsumer(bootstrap_servers=servers) as consumer:
        found = []
        for number in range(partitions):
            partition = TopicPartition(topic, number)
            consumer.assign([partition])
            await consumer.seek_to_beginning(partition)
            end = (await consumer.end_offsets([partition]))[partition]
            found += [(await consumer.getone(partition)).value for _ in range(end)]
        return found
