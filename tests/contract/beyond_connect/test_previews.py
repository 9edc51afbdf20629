"""Previews: a worker of its own tells, the answer waits for it, and no connector notices."""

import httpx
import pytest
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import sink_config

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.preview import Preview, TablePreview
from frazil.control_api.engine.fake import Behaviour, FakeEngine

pytestmark = pytest.mark.asyncio(loop_scope="session")
FOUND = Preview(
    step="done", records=7, tables=(TablePreview(table="ns.a", exists=True, rows=6, dead=1),)
)


async def test_a_connector_that_runs_is_looked_at_and_goes_on(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    engine.behaviours[name] = Behaviour(preview=FOUND)
    await create()
    await until_state(client, name, "RUNNING")
    starts = [one for one, _ in engine.starts if one == name]
    answer = await client.post(f"/connectors/{name}/preview?records=7")
    assert answer.status_code == 200
    found = answer.json()
    assert (found["state"], found["records"], found["trace"]) == ("DONE", 7, None)
    assert found["tables"][0]["rows"] == 6
    assert [one for one, _ in engine.starts if one == name] == starts
    assert all("preview" not in one for one in (await client.get("/connectors")).json())
    again = await client.get(f"/previews/{found['id']}")
    assert (again.status_code, again.json()) == (200, found)
    assert (await client.delete(f"/previews/{found['id']}")).status_code == 204
    assert (await client.get(f"/previews/{found['id']}")).status_code == 404


async def test_a_configuration_is_looked_at_before_it_is_put(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    engine.behaviours[name] = Behaviour(preview=FOUND)
    await create()
    config = sink_config(topics="others")
    answer = await client.post(f"/connectors/{name}/preview", json=config)
    assert answer.json()["state"] == "DONE"
    stored = (await client.get(f"/connectors/{name}/config")).json()
    assert stored["topics"] == "apilogs"
    bad = await client.post(f"/connectors/{name}/preview", json={"topics": "x"})
    assert_error(bad, 400)


async def test_a_connector_is_looked_at_before_it_is_there(
    client: httpx.AsyncClient, engine: FakeEngine, name: str
) -> None:
    engine.behaviours[name] = Behaviour(preview=FOUND)
    body = {"name": name, "config": sink_config()}
    answer = await client.post("/connectors/preview", json=body)
    assert (answer.status_code, answer.json()["state"]) == (200, "DONE")
    assert (await client.get(f"/connectors/{name}")).status_code == 404


async def test_one_that_takes_long_is_asked_for_again_and_few_are_made_at_a_time(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    engine.behaviours[name] = Behaviour(never_ready=True)
    await create()
    ids = []
    for _ in range(2):
        answer = await client.post(f"/connectors/{name}/preview?wait=0")
        assert (answer.status_code, answer.json()["state"]) == (202, "STARTING")
        ids.append(answer.json()["id"])
        assert answer.headers["location"].endswith(f"/previews/{ids[-1]}")
    many = await client.post(f"/connectors/{name}/preview?wait=0")
    assert_error(many, 429, "2 previews are being made already; try again soon")
    for preview in ids:
        assert (await client.get(f"/previews/{preview}?wait=0")).status_code == 202
        assert (await client.delete(f"/previews/{preview}")).status_code == 204


async def test_why_a_preview_failed_is_told(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    await create()
    trace = "UnavailableError: Kafka does not answer."
    engine.behaviours[name] = Behaviour(exits_with=ExitCode.UNAVAILABLE, trace=trace)
    found = (await client.post(f"/connectors/{name}/preview")).json()
    assert (found["state"], found["trace"]) == ("FAILED", trace)


async def test_what_cannot_be_looked_at(client: httpx.AsyncClient, create: Create) -> None:
    name = await create()
    assert_error(await client.post("/connectors/nobody/preview"), 404)
    assert (await client.post(f"/connectors/{name}/preview?records=0")).status_code == 400
    assert (await client.get("/previews/1-nobody")).status_code == 404
    other = {"connector.class": "FileStreamSink", "topics": "t", "file": "x"}
    answer = await client.post("/connectors/preview", json={"name": "f", "config": other})
    assert_error(answer, 400, "Connector f writes to no Iceberg table")
