"""Offsets through the API, in the consumer groups and the topic of a real broker."""

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from tests.support.connect_rest import assert_error, check_sink_offsets, until_healthy, until_state
from tests.support.control_api import sink_config

from frazil.contracts.offsets import Mode, Offsets, Rewind
from frazil.control_api.app import create_app
from frazil.control_api.settings import EngineKind, Settings

_numbers = itertools.count(1)


@pytest_asyncio.fixture
async def admin(bootstrap_servers: str) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap_servers)
    await admin.start()
    yield admin
    await admin.close()


@pytest_asyncio.fixture
async def topic(admin: AIOKafkaAdminClient) -> str:
    """The name of a topic with two partitions."""
    name = f"moved-{next(_numbers)}"
    await admin.create_topics([NewTopic(name, 2, 1)])
    return name


@pytest.fixture
def settings(tmp_path: Path, bootstrap_servers: str) -> Settings:
    return Settings(
        home=tmp_path,
        engine=EngineKind.FAKE,
        bootstrap_servers=bootstrap_servers,
        files_folder=tmp_path,
        offset_storage_topic=f"offsets-{next(_numbers)}",
    )


class Server:
    """The API over an engine without workers, and what is in its store."""

    def __init__(self, settings: Settings) -> None:
        self.app = create_app(settings)
        transport = httpx.ASGITransport(self.app)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://test", timeout=30)

    async def create_stopped(self, **config: str) -> str:
        name = f"c{next(_numbers)}"
        body = {"name": name, "config": config, "initial_state": "STOPPED"}
        response = await self.client.post("/connectors", json=body)
        assert response.status_code == 201, response.text
        await until_state(self.client, name, "STOPPED")
        return name

    async def offsets(self, name: str) -> Any:
        response = await self.client.get(f"/connectors/{name}/offsets")
        assert response.status_code == 200, response.text
        return response.json()["offsets"]

    async def move(self, name: str, *entries: dict[str, Any]) -> httpx.Response:
        body = {"offsets": list(entries)}
        return await self.client.patch(f"/connectors/{name}/offsets", json=body)

    def rewind(self, name: str) -> Rewind:
        connector = self.app.state.plant.store.get(name)
        assert connector is not None
        assert connector.rewind is not None
        rewind: Rewind = connector.rewind
        return rewind


@pytest_asyncio.fixture
async def server(settings: Settings) -> AsyncIterator[Server]:
    server = Server(settings)
    async with server.app.router.lifespan_context(server.app), server.client:
        await until_healthy(server.client)
        yield server


def at(topic: str, partition: int, offset: int | None) -> dict[str, Any]:
    place = {"kafka_topic": topic, "kafka_partition": partition}
    return {"partition": place, "offset": None if offset is None else {"kafka_offset": offset}}


async def committed(admin: AIOKafkaAdminClient, group: str) -> Offsets:
    found: Offsets = {}
    for key, value in (await admin.list_consumer_group_offsets(group)).items():
        found.setdefault(key.topic, {})[key.partition] = value.offset
    return found


@asynccontextmanager
async def member(servers: str, group: str, topic: str) -> AsyncIterator[None]:
    """Somebody who reads in the group, as a task that was not stopped would."""
    consumer = AIOKafkaConsumer(
        topic, bootstrap_servers=servers, group_id=group, enable_auto_commit=False
    )
    await consumer.start()
    try:
        await consumer.getmany(timeout_ms=1000)
        yield
    finally:
        await consumer.stop()


class TestSinks:
    async def test_moved_looked_at_reset_looked_at(self, server: Server, topic: str) -> None:
        name = await server.create_stopped(**sink_config())
        await check_sink_offsets(server.client, name, topic)

    async def test_only_what_is_named_is_moved_in_the_group_and_in_the_rewind(
        self, server: Server, admin: AIOKafkaAdminClient, topic: str
    ) -> None:
        name = await server.create_stopped(**sink_config())
        assert (await server.move(name, at(topic, 0, 5), at(topic, 1, 7))).status_code == 200
        assert await committed(admin, f"connect-{name}") == {topic: {0: 5, 1: 7}}
        first = server.rewind(name)
        assert (await server.move(name, at(topic, 1, None))).status_code == 200
        assert await committed(admin, f"connect-{name}") == {topic: {0: 5}}
        assert await server.offsets(name) == [at(topic, 0, 5)]
        second = server.rewind(name)
        assert (second.offsets, second.fresh) == ({topic: {0: 5}}, {topic: [1]})
        assert second.number > first.number

    async def test_a_mode_travels_with_the_rewind_until_another_is_said(
        self, server: Server, topic: str
    ) -> None:
        name = await server.create_stopped(**sink_config())
        url = f"/connectors/{name}/offsets"
        first = await server.client.patch(f"{url}?mode=once", json={"offsets": [at(topic, 0, 5)]})
        assert first.status_code == 200, first.text
        assert server.rewind(name).mode is Mode.ONCE
        assert_error(await server.move(name, at(topic, 1, 7)), 409)
        assert await server.offsets(name) == [at(topic, 0, 5)]
        both = await server.client.patch(f"{url}?mode=again", json={"offsets": [at(topic, 1, 7)]})
        assert both.status_code == 200, both.text
        found = server.rewind(name)
        assert (found.offsets, found.mode) == ({topic: {0: 5, 1: 7}}, Mode.AGAIN)
        assert (await server.client.delete(f"{url}?mode=once")).status_code == 200
        assert server.rewind(name).mode is Mode.ONCE

    async def test_a_time_is_the_first_record_of_it_or_the_end(
        self, server: Server, admin: AIOKafkaAdminClient, bootstrap_servers: str, topic: str
    ) -> None:
        async with AIOKafkaProducer(bootstrap_servers=bootstrap_servers) as producer:
            for ms in (1_000, 2_000, 3_000):
                await producer.send_and_wait(topic, b"v", key=b"k", partition=0, timestamp_ms=ms)
        name = await server.create_stopped(**sink_config())

        def since(partition: int, time: object) -> dict[str, Any]:
            return at(topic, partition, None) | {"offset": {"kafka_timestamp": time}}

        moved = await server.move(name, since(0, 1_500), since(1, "2026-11-19T08:00:00Z"))
        assert moved.status_code == 200, moved.text
        assert await committed(admin, f"connect-{name}") == {topic: {0: 1, 1: 0}}
        assert server.rewind(name).offsets == {topic: {0: 1, 1: 0}}
        assert (await server.move(name, since(0, 9_000))).status_code == 200
        assert await committed(admin, f"connect-{name}") == {topic: {0: 3, 1: 0}}
        unknown = await server.move(name, since(7, 1_000))
        assert_error(unknown, 400)

    async def test_a_reset_leaves_no_group_and_may_be_repeated(
        self, server: Server, admin: AIOKafkaAdminClient, topic: str
    ) -> None:
        name = await server.create_stopped(**sink_config())
        await server.move(name, at(topic, 0, 5))
        for _ in range(2):
            response = await server.client.delete(f"/connectors/{name}/offsets")
            assert response.status_code == 200, response.text
        groups = [group for group, *_ in await admin.list_consumer_groups()]
        assert f"connect-{name}" not in groups
        assert server.rewind(name).everything

    async def test_a_partition_that_nobody_has_read_can_be_forgotten(
        self, server: Server, topic: str
    ) -> None:
        name = await server.create_stopped(**sink_config())
        assert (await server.move(name, at(topic, 0, None))).status_code == 200
        assert await server.offsets(name) == []

    async def test_one_unknown_partition_moves_none(
        self, server: Server, admin: AIOKafkaAdminClient, topic: str
    ) -> None:
        name = await server.create_stopped(**sink_config())
        for unknown in (at(topic, 9, 1), at("nowhere", 0, 1)):
            response = await server.move(name, at(topic, 0, 5), unknown)
            message = assert_error(response, 400)
            start = f"Failed to alter consumer group offsets for connector {name}: "
            assert message.startswith(start)
        assert await server.offsets(name) == []
        assert "nowhere" not in await admin.list_topics()

    async def test_a_group_with_a_member_is_left_alone(
        self, server: Server, bootstrap_servers: str, topic: str
    ) -> None:
        name = await server.create_stopped(**sink_config())
        await server.move(name, at(topic, 0, 5))
        async with member(bootstrap_servers, f"connect-{name}", topic):
            for response in (
                await server.move(name, at(topic, 0, 6)),
                await server.move(name, at(topic, 0, None)),
                await server.client.delete(f"/connectors/{name}/offsets"),
            ):
                assert "can be safely retried" in assert_error(response, 500)
        assert await server.offsets(name) == [at(topic, 0, 5)]

    async def test_a_connectors_own_group_is_meant(
        self, server: Server, admin: AIOKafkaAdminClient, topic: str
    ) -> None:
        own = {"consumer.override.group.id": f"own-{topic}"}
        name = await server.create_stopped(**sink_config(**own))
        await server.move(name, at(topic, 0, 5))
        assert await committed(admin, f"own-{topic}") == {topic: {0: 5}}
        assert await committed(admin, f"connect-{name}") == {}


def source_config(file: str) -> dict[str, str]:
    return {"connector.class": "FileStreamSource", "topic": "t", "file": file}


def place(file: str, position: int | None) -> dict[str, Any]:
    offset = None if position is None else {"position": position}
    return {"partition": {"filename": file}, "offset": offset}


async def records(servers: str, topic: str) -> list[tuple[bytes, bytes | None]]:
    consumer = AIOKafkaConsumer(bootstrap_servers=servers, isolation_level="read_committed")
    await consumer.start()
    try:
        consumer.assign([TopicPartition(topic, number) for number in range(25)])
        await consumer.seek_to_beginning()
        found = await consumer.getmany(timeout_ms=2000)
        return [(record.key, record.value) for some in found.values() for record in some]
    finally:
        await consumer.stop()


class TestSources:
    async def test_without_a_topic_nothing_is_known(self, server: Server) -> None:
        name = await server.create_stopped(**source_config("a"))
        assert await server.offsets(name) == []
        response = await server.client.delete(f"/connectors/{name}/offsets")
        assert response.status_code == 200

    async def test_positions_are_kept_as_kafka_connect_keeps_them(
        self, server: Server, settings: Settings
    ) -> None:
        name = await server.create_stopped(**source_config("ä b"))
        assert (await server.move(name, place("ä b", 3), place("c", 4))).status_code == 200
        found = sorted(await server.offsets(name), key=str)
        assert found == sorted([place("ä b", 3), place("c", 4)], key=str)
        assert (await server.move(name, place("c", None))).status_code == 200
        assert await server.offsets(name) == [place("ä b", 3)]
        stored = dict(await records(settings.bootstrap_servers, settings.offset_storage_topic))
        assert stored == {
            f'["{name}",{{"filename":"ä b"}}]'.encode(): b'{"position":3}',
            f'["{name}",{{"filename":"c"}}]'.encode(): None,
        }

    async def test_a_reset_forgets_all_of_this_connector_and_nothing_of_others(
        self, server: Server
    ) -> None:
        names = [await server.create_stopped(**source_config("a")) for _ in range(2)]
        for name in names:
            await server.move(name, place("a", 1), place("b", 2))
        response = await server.client.delete(f"/connectors/{names[0]}/offsets")
        assert response.status_code == 200, response.text
        assert await server.offsets(names[0]) == []
        assert len(await server.offsets(names[1])) == 2

    async def test_a_key_that_others_have_spelled_otherwise_is_the_same_partition(
        self, server: Server, settings: Settings
    ) -> None:
        name = await server.create_stopped(**source_config("a"))
        await server.move(name, place("other", 1))
        key = json.dumps([name, {"filename": "a"}], indent=1).encode()
        async with producer(settings.bootstrap_servers) as sending:
            await sending.send_and_wait(settings.offset_storage_topic, b'{"position":9}', key=key)
            await sending.send_and_wait(settings.offset_storage_topic, b"junk", key=b"junk")
        assert (await server.move(name, place("a", None))).status_code == 200
        assert await server.offsets(name) == [place("other", 1)]

    async def test_what_was_not_committed_is_not_there_and_delays_nobody(
        self, server: Server, settings: Settings
    ) -> None:
        name = await server.create_stopped(**source_config("a"))
        await server.move(name, place("a", 1))
        key = f'["{name}",{{"filename":"a"}}]'.encode()
        async with producer(settings.bootstrap_servers, transactional_id="open") as sending:
            await sending.begin_transaction()
            await sending.send_and_wait(settings.offset_storage_topic, b'{"position":9}', key=key)
            assert await server.offsets(name) == [place("a", 1)]
            await sending.abort_transaction()
        assert await server.offsets(name) == [place("a", 1)]


@asynccontextmanager
async def producer(servers: str, **more: Any) -> AsyncIterator[AIOKafkaProducer]:
    sending = AIOKafkaProducer(bootstrap_servers=servers, **more)
    await sending.start()
    try:
        yield sending
    finally:
        await sending.stop()
