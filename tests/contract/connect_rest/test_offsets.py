"""Offsets over HTTP, as far as that goes without a broker: what is refused, and how soon."""

import asyncio
import time
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.support.connect_rest import Kinds, assert_error, until_state

pytestmark = pytest.mark.asyncio(loop_scope="session")

JSON = {"Content-Type": "application/json"}
MOVE = {
    "offsets": [
        {"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 5}}
    ]
}


@pytest_asyncio.fixture(loop_scope="session")
async def stopped_source(client: httpx.AsyncClient, name: str, kinds: Kinds) -> str:
    body = {"name": name, "config": kinds.source_config(), "initial_state": "STOPPED"}
    assert (await client.post("/connectors", json=body)).status_code == 201
    await until_state(client, name, "STOPPED")
    return name


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_only_a_stopped_connector_can_be_moved(
    client: httpx.AsyncClient, running: str, method: str
) -> None:
    body = MOVE if method == "PATCH" else None
    response = await client.request(method, f"/connectors/{running}/offsets", json=body)
    assert_error(
        response,
        400,
        "Connectors must be in the STOPPED state before their offsets can be modified. This can "
        "be done for the specified connector by issuing a 'PUT' request to the "
        f"'/connectors/{running}/stop' endpoint",
    )


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_an_unknown_connector_is_nowhere(client: httpx.AsyncClient, method: str) -> None:
    body = MOVE if method == "PATCH" else None
    response = await client.request(method, "/connectors/nope/offsets", json=body)
    assert_error(response, 404, "Connector nope not found")


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"", "empty"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b'{"offsets":{"a":1}}', 'The field "offsets" must be an array'),
        (b'{"offsets":null}', "Partitions / offsets need to be provided"),
        (b'{"offsets":[null]}', "must be an object with a partition and an offset"),
        (b'{"offsets":[{"partition":{},"z":1}]}', 'Unrecognized field "z"'),
        (b'{"offsets":[{"partition":5}]}', 'The field "partition" must be a JSON object'),
        (b'{"offsets":[],"more":1}', 'Unrecognized field "more"'),
    ],
)
async def test_a_body_without_sense_is_the_clients_mistake(
    client: httpx.AsyncClient, stopped_sink: str, body: bytes, part: str
) -> None:
    path = f"/connectors/{stopped_sink}/offsets"
    message = assert_error(await client.patch(path, headers=JSON, content=body), 400)
    assert part in message


async def test_negative_offsets_are_the_clients_mistake(
    client: httpx.AsyncClient, stopped_sink: str
) -> None:
    entry: dict[str, Any] = MOVE["offsets"][0] | {"offset": {"kafka_offset": -1}}
    response = await client.patch(f"/connectors/{stopped_sink}/offsets", json={"offsets": [entry]})
    message = assert_error(response, 400)
    assert message.startswith(f"Failed to modify offsets for sink connector {stopped_sink}")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"partition": {}, "offset": {"position": 1}},
            "Partition objects should contain the key 'filename'",
        ),
        (
            {"partition": {"filename": "a"}, "offset": {"position": "x"}},
            "The value for the 'position' key in the offset is expected to be a Long value",
        ),
        ({"offset": {"position": 1}}, "Partition objects cannot be null"),
    ],
)
async def test_a_source_has_its_own_words_for_what_it_cannot_be_at(
    client: httpx.AsyncClient, stopped_source: str, entry: dict[str, Any], message: str
) -> None:
    path = f"/connectors/{stopped_source}/offsets"
    assert_error(await client.patch(path, json={"offsets": [entry]}), 400, message)


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_a_broker_that_is_away_is_an_error_soon(
    client: httpx.AsyncClient, stopped_sink: str, method: str
) -> None:
    started = time.monotonic()
    body = MOVE if method == "PATCH" else None
    response = await client.request(method, f"/connectors/{stopped_sink}/offsets", json=body)
    message = assert_error(response, 500)
    assert message.startswith("Failed to ")
    assert f"sink connector {stopped_sink}" in message or f"connector {stopped_sink}" in message
    assert message.endswith("Kafka at 127.0.0.1:1 does not answer")
    assert time.monotonic() - started < 10


async def test_many_who_wait_for_a_broker_delay_nobody(
    client: httpx.AsyncClient, stopped_sink: str
) -> None:
    waiting = [client.get(f"/connectors/{stopped_sink}/offsets") for _ in range(60)]
    async with asyncio.timeout(10):
        answers, other = await asyncio.gather(
            asyncio.gather(*waiting), client.get(f"/connectors/{stopped_sink}")
        )
    assert other.status_code == 200
    assert {answer.status_code for answer in answers} == {500}
