"""Topics through the admin protocol, against an admin client that answers as brokers do."""

from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.admin import NewPartitions, NewTopic
from aiokafka.admin.config_resource import ConfigResource
from aiokafka.errors import KafkaConnectionError
from tests.support.provisioner_world import apply

from frazil.provisioner.desired import Kafka
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import CreateTopic, Plan
from frazil.provisioner.steps.kafka import KafkaSystem

OF_THE_TOPIC, OF_THE_BROKER = 1, 5


class FakeAdmin:
    """`code` is what the broker answers to every change."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        self.partitions: dict[str, int] = {}
        self.set: dict[str, dict[str, str]] = {}
        self.is_down = False
        self.starts_late = 0

    async def start(self) -> None:
        if self.starts_late:
            self.starts_late -= 1
            raise KafkaConnectionError("nobody")

    async def describe_topics(self) -> list[dict[str, Any]]:
        if self.is_down:
            raise KafkaConnectionError("gone")
        return [
            {"topic": name, "partitions": [{"replicas": [1]}] * count}
            for name, count in self.partitions.items()
        ]

    async def create_topics(self, topics: list[NewTopic]) -> Any:
        if not self.code:
            for topic in topics:
                self.partitions[topic.name] = topic.num_partitions
                self.set[topic.name] = topic.topic_configs
        return SimpleNamespace(topic_errors=[(t.name, self.code, "no room") for t in topics])

    async def create_partitions(self, wanted: dict[str, NewPartitions]) -> None:
        for name, new in wanted.items():
            self.partitions[name] = new.total_count

    async def describe_configs(self, resources: list[ConfigResource]) -> list[Any]:
        found = [(0, "", 2, resource.name, self._entries(resource.name)) for resource in resources]
        return [SimpleNamespace(resources=found)]

    def _entries(self, name: str) -> list[Any]:
        own: list[Any] = [
            (k, v, False, OF_THE_TOPIC, False, []) for k, v in self.set.get(name, {}).items()
        ]
        return [*own, ("segment.bytes", "1", False, OF_THE_BROKER, False, [])]

    async def alter_configs(self, resources: list[ConfigResource]) -> list[Any]:
        for resource in resources:
            self.set[resource.name] = dict(resource.configs)  # forgets what is not named
        return [SimpleNamespace(resources=[(self.code, "no", 2, r.name) for r in resources])]


def system(admin: Any, **topic: Any) -> KafkaSystem:
    topics = [{"name": "a", "partitions": 3, **topic}]
    wanted = Kafka.model_validate({"bootstrap.servers": "k:1", "topics": topics})
    return KafkaSystem(admin, wanted, 10)


async def test_a_topic_is_created_with_partitions_and_configs_and_then_left_alone() -> None:
    admin = FakeAdmin()
    kafka = system(admin, configs={"retention.ms": 1000})
    assert len((await apply(kafka)).steps) == 1
    assert (admin.partitions, admin.set) == ({"a": 3}, {"a": {"retention.ms": "1000"}})
    assert await apply(kafka) == Plan()


async def test_a_topic_is_grown_and_other_topics_are_not_touched() -> None:
    admin = FakeAdmin()
    admin.partitions = {"a": 1, "theirs": 7}
    await apply(system(admin))
    assert admin.partitions == {"a": 3, "theirs": 7}


async def test_setting_a_config_keeps_those_that_others_have_set() -> None:
    admin = FakeAdmin()
    admin.partitions, admin.set = {"a": 3}, {"a": {"theirs": "1"}}
    await apply(system(admin, configs={"ours": "2"}))
    assert admin.set == {"a": {"theirs": "1", "ours": "2"}}


async def test_a_topic_that_another_has_made_meanwhile_is_no_error() -> None:
    admin = FakeAdmin(code=36)
    kafka = system(admin)
    step = (await kafka.plan()).steps[0]
    assert isinstance(step, CreateTopic)
    admin.partitions = {"a": 3}
    await kafka.apply(step)
    assert (await kafka.plan()).is_empty


async def test_a_broker_that_refuses_is_quoted() -> None:
    with pytest.raises(StepFailedError, match=r"Could not create topic a .*no room"):
        await apply(system(FakeAdmin(code=38)))


async def test_a_config_that_is_refused_is_quoted() -> None:
    admin = FakeAdmin(code=40)
    admin.partitions = {"a": 3}
    with pytest.raises(StepFailedError, match=r"Could not configure topic a: x = 1: .*no"):
        await apply(system(admin, configs={"x": "1"}))


async def test_a_broker_that_is_gone_is_a_sentence_with_its_address() -> None:
    admin = FakeAdmin()
    admin.is_down = True
    with pytest.raises(UnavailableError, match="Kafka does not answer at k:1"):
        await system(admin).plan()


async def test_a_broker_that_is_not_there_yet_is_waited_for() -> None:
    admin = FakeAdmin()
    admin.starts_late = 3
    with pytest.raises(UnavailableError, match="Kafka does not answer at k:1"):
        await system(admin).plan()
    assert len((await apply(system(admin), seconds=60)).steps) == 1
