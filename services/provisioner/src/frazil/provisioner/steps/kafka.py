"""Kafka: topics, through the admin protocol."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from frazil.provisioner.desired import Kafka
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import (
    ConfigureTopic,
    CreateTopic,
    GrowTopic,
    Plan,
    Step,
    TopicState,
    plan_topics,
)

_SET_ON_THE_TOPIC = 1  # the source of a config entry that is no default and not the broker's


@asynccontextmanager
async def open_kafka(wanted: Kafka, seconds: float) -> AsyncIterator["KafkaSystem"]:
    # It connects when it is first asked: a broker that is not there yet can be waited for.
    admin = AIOKafkaAdminClient(
        bootstrap_servers=wanted.bootstrap_servers, request_timeout_ms=int(seconds * 1000)
    )
    try:
        yield KafkaSystem(admin, wanted, seconds)
    finally:
        await admin.close()


class KafkaSystem:
    def __init__(self, admin: AIOKafkaAdminClient, wanted: Kafka, seconds: float) -> None:
        self._admin = admin
        self._wanted = wanted
        self._seconds = seconds
        self.title = f"Kafka at {wanted.bootstrap_servers}"

    async def plan(self) -> Plan:
        await self._start()
        try:
            return plan_topics(self._wanted.topics, await self._read())
        except (KafkaError, TimeoutError) as error:
            raise UnavailableError("Kafka", self._wanted.bootstrap_servers, str(error)) from error

    async def apply(self, step: Step) -> None:
        try:
            await self._apply(step)
        except (KafkaError, TimeoutError) as error:
            raise StepFailedError(step.sentence, str(error) or "no answer in time") from error

    async def _start(self) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._admin.start()
        except (KafkaError, OSError, ValueError) as error:  # the last: not a host:port at all
            raise UnavailableError("Kafka", self._wanted.bootstrap_servers) from error

    async def _apply(self, step: Step) -> None:
        match step:
            case CreateTopic(topic):
                new = NewTopic(
                    topic.name,
                    topic.partitions,
                    topic.replication,
                    topic_configs=dict(topic.configs),
                )
                response = await self._admin.create_topics([new])
                for _, code, message in response.topic_errors:
                    # Somebody else was quicker; the next look tells whether it is what we want.
                    if code != TopicAlreadyExistsError.errno:
                        _check(code, message)
            case GrowTopic(name, partitions):
                await self._admin.create_partitions({name: NewPartitions(partitions)})
            case ConfigureTopic(name, changes):
                await self._configure(name, changes)

    async def _configure(self, name: str, changes: Mapping[str, str]) -> None:
        """Set configs beside those there are: this request forgets what it does not name."""
        there = (await self._configs([name]))[name]
        resource = ConfigResource(ConfigResourceType.TOPIC, name, {**there, **changes})
        for response in await self._admin.alter_configs([resource]):
            for code, message, *_ in response.resources:
                _check(code, message)

    async def _read(self) -> dict[str, TopicState]:
        # All topics are asked for: naming one may create it, if the broker does such things.
        wanted = {topic.name for topic in self._wanted.topics}
        found = [t for t in await self._admin.describe_topics() if t["topic"] in wanted]
        configs = await self._configs([topic["topic"] for topic in found])
        return {
            topic["topic"]: TopicState(
                partitions=len(topic["partitions"]),
                replication=len(topic["partitions"][0]["replicas"]),
                configs=configs[topic["topic"]],
            )
            for topic in found
        }

    async def _configs(self, names: list[str]) -> dict[str, dict[str, str]]:
        if not names:
            return {}
        resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in names]
        found: dict[str, dict[str, str]] = {}
        for response in await self._admin.describe_configs(resources):
            for code, message, _, name, entries in response.resources:
                _check(code, message)
                found[name] = {e[0]: e[1] for e in entries if e[3] == _SET_ON_THE_TOPIC}
        return found


def _check(code: int, message: str | None) -> None:
    if code:
        raise for_code(code)(message)
