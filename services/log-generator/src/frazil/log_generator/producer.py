"""Records into Kafka: idempotent, without keys, dealt evenly over the partitions."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError
from aiokafka.producer.message_accumulator import BatchBuilder

from frazil.log_generator.errors import (
    BrokerUnavailableError,
    NotAcknowledgedError,
    TopicNotFoundError,
)
from frazil.log_generator.pace import Pace
from frazil.log_generator.source import Source
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_CONNECT_SECONDS = 8.0
_ACK_SECONDS = 30.0
_BATCH_BYTES = 512 * 1024  # half of what a broker takes by default
_IN_FLIGHT = 12
_TICK_SECONDS = 0.01
_PROGRESS_SECONDS = 5.0


@dataclass
class Report:
    """What the broker has acknowledged; `bad` of the `produced` were bad on purpose."""

    topic: str
    produced: int = 0
    bad: int = 0
    seconds: float = 0.0

    def as_dict(self) -> dict[str, str | int | float]:
        return asdict(self)


async def produce(
    servers: str,
    *,
    sources: Mapping[str, Source],
    pace: Pace,
    stop: asyncio.Event,
    reports: Mapping[str, Report],
) -> None:
    """Fill all topics side by side, each at the given pace, until done or told to stop."""
    async with _producer(servers) as producer:
        lanes = [await _lane(producer, topic, servers) for topic in sources]
        try:
            async with asyncio.TaskGroup() as group:
                for lane in lanes:
                    topic = lane.topic
                    run = lane.run(sources[topic], pace=pace, stop=stop, report=reports[topic])
                    group.create_task(run, name=topic)
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed


@asynccontextmanager
async def _producer(servers: str) -> AsyncIterator[AIOKafkaProducer]:
    producer = AIOKafkaProducer(
        bootstrap_servers=servers,
        enable_idempotence=True,
        acks="all",
        max_batch_size=_BATCH_BYTES,
        request_timeout_ms=int(_ACK_SECONDS * 1000),
    )
    try:
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await producer.start()
        except (KafkaError, OSError, ValueError) as error:  # the last: not a host:port at all
            raise BrokerUnavailableError(servers) from error
        yield producer
    finally:
        # An idempotent producer retries for ever, and so does its stop, when the broker is gone.
        with suppress(TimeoutError):
            await asyncio.wait_for(producer.stop(), _CONNECT_SECONDS)


async def _lane(producer: AIOKafkaProducer, topic: str, servers: str) -> "_Lane":
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            partitions = await producer.partitions_for(topic)
    except (KafkaError, TimeoutError) as error:
        raise TopicNotFoundError(topic, servers) from error
    return _Lane(producer, topic, sorted(partitions))


@dataclass
class _Lane:
    """One topic: its partitions, and the batches that wait for the broker's word."""

    producer: AIOKafkaProducer
    topic: str
    partitions: list[int]
    pending: deque[tuple[asyncio.Future[object], int]] = field(default_factory=deque)

    async def run(self, source: Source, *, pace: Pace, stop: asyncio.Event, report: Report) -> None:
        started = noted = time.monotonic()
        sent = 0
        try:
            while not stop.is_set() and not pace.is_done(sent):
                now = time.monotonic()
                if count := pace.due(now - started, sent):
                    await self._send(source.take(count, time.time_ns), sent)
                    sent += count
                    await self._settle(report, leave=_IN_FLIGHT)
                else:
                    await asyncio.sleep(_TICK_SECONDS)
                if now - noted > _PROGRESS_SECONDS:
                    noted = now
                    log.info("producing", topic=self.topic, produced=report.produced)
            await self._settle(report, leave=0)
        except (KafkaError, TimeoutError) as error:
            raise NotAcknowledgedError(self.topic, str(error) or "no answer in time") from error
        finally:
            report.bad = source.bad
            report.seconds = round(time.monotonic() - started, 3)

    async def _send(self, values: Sequence[bytes], sent: int) -> None:
        """Deal the values over the partitions, going on where the last ones ended."""
        width = len(self.partitions)
        for place, partition in enumerate(self.partitions):
            for batch in self._batches(values[(place - sent) % width :: width]):
                future = await self.producer.send_batch(batch, self.topic, partition=partition)
                self.pending.append((future, batch.record_count()))

    def _batches(self, values: Sequence[bytes]) -> list[BatchBuilder]:
        batches: list[BatchBuilder] = []
        for value in values:
            if not batches or not batches[-1].append(timestamp=None, key=None, value=value):
                batches.append(self.producer.create_batch())
                batches[-1].append(timestamp=None, key=None, value=value)
        return batches

    async def _settle(self, report: Report, *, leave: int) -> None:
        """Wait for acknowledgements until no more than `leave` batches are under way."""
        while len(self.pending) > leave:
            future, count = self.pending[0]
            await asyncio.wait_for(future, _ACK_SECONDS)
            self.pending.popleft()
            report.produced += count
