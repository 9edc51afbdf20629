"""Connectors: create, read, configure, delete, with the bodies that Kafka Connect gives."""

import asyncio
from urllib.parse import quote

import httpx
import pytest
from tests.contract.connect_rest.conftest import Create
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import SINK_CLASS, sink_config

pytestmark = pytest.mark.asyncio(loop_scope="session")

HINT = (
    "\nYou can also find the above list of errors at the endpoint "
    "`/connector-plugins/{connectorType}/config/validate`"
)
JSON = {"Content-Type": "application/json"}


class TestCreating:
    async def test_the_answer_is_the_connector_as_submitted(
        self, client: httpx.AsyncClient, name: str
    ) -> None:
        config = {**sink_config(), "tasks.max": 1, "errors.log.enable": True}
        response = await client.post("/connectors", json={"name": f" {name} ", "config": config})
        assert response.status_code == 201
        assert response.headers["location"] == f"{client.base_url}/connectors/{name}"
        body = response.json()
        assert list(body) == ["name", "config", "tasks", "type"]
        assert (body["name"], body["type"]) == (name, "sink")
        wanted = sink_config(**{"tasks.max": "1", "errors.log.enable": "true"}, name=name)
        assert list(body["config"].items()) == list(wanted.items())
        assert body["tasks"] in ([], [{"connector": name, "task": 0}])

    async def test_numbers_keep_their_text(self, client: httpx.AsyncClient, name: str) -> None:
        body = (
            b'{"name":"%s","config":{"connector.class":"%s","topics":"a",'
            % (
                name.encode(),
                SINK_CLASS.encode(),
            )
            + b'"iceberg.tables":"a.b","iceberg.catalog.type":"jdbc","ratio":1.50}}'
        )
        response = await client.post("/connectors", headers=JSON, content=body)
        assert response.json()["config"]["ratio"] == "1.50"

    async def test_a_name_can_be_taken_once(self, create: Create, made: str) -> None:
        assert_error(await create(), 409, f"Connector {made} already exists")

    async def test_of_equal_requests_at_once_one_wins(self, create: Create) -> None:
        responses = await asyncio.gather(*(create() for _ in range(4)))
        assert sorted(one.status_code for one in responses) == [201, 409, 409, 409]

    async def test_faults_are_listed_even_if_the_name_is_taken(
        self, client: httpx.AsyncClient, made: str
    ) -> None:
        config = sink_config()
        del config["topics"]
        body = {"name": made, "config": config}
        message = assert_error(await client.post("/connectors", json=body), 400)
        missing = "Must configure one of topics or topics.regex"
        assert message == (
            "Connector configuration is invalid and contains the following 2 error(s):\n"
            f"{missing}\n{missing}{HINT}"
        )

    async def test_a_number_that_is_none_counts_twice(self, create: Create) -> None:
        message = assert_error(await create(**{"tasks.max": "abc"}), 400)
        assert "contains the following 2 error(s):\n" in message
        assert "Invalid value abc for configuration tasks.max: Not a number of type INT" in message

    async def test_an_unknown_class_is_named(self, create: Create) -> None:
        message = assert_error(await create(**{"connector.class": "Nope"}), 400)
        assert message.startswith(
            "Failed to find any class that implements Connector and which name matches Nope"
        )

    async def test_another_name_in_the_configuration_is_refused(
        self, create: Create, name: str
    ) -> None:
        assert_error(
            await create(name="y"),
            400,
            f"Connector name configuration (y) doesn't match connector name in the URL ({name})",
        )

    async def test_an_empty_name_is_refused(self, client: httpx.AsyncClient) -> None:
        body = {"name": "", "config": sink_config()}
        message = assert_error(await client.post("/connectors", json=body), 400)
        assert "Invalid value  for configuration name: String may not be empty" in message

    async def test_a_control_character_in_a_name_is_refused(
        self, client: httpx.AsyncClient
    ) -> None:
        body = {"name": "a\u0007b", "config": sink_config()}
        message = assert_error(await client.post("/connectors", json=body), 400)
        assert "may not contain control sequences but had the following ASCII chars: 7" in message

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"[]",
            b'{"name":',
            b'{"name":"b"}',
            b'{"name":"b","config":{"a":{}}}',
            b'{"name":"b","config":{},"foo":1}',
            b'{"name":"b","config":{},"initial_state":"x"}',
        ],
    )
    async def test_a_body_that_makes_no_sense_is_the_clients_mistake(
        self, client: httpx.AsyncClient, body: bytes
    ) -> None:
        response = await client.post("/connectors", headers=JSON, content=body)
        assert assert_error(response, 400)

    @pytest.mark.parametrize(("state", "wanted"), [("paused", "PAUSED"), ("STOPPED", "STOPPED")])
    async def test_a_connector_may_begin_without_tasks(
        self, client: httpx.AsyncClient, name: str, state: str, wanted: str
    ) -> None:
        body = {"name": name, "config": sink_config(), "initial_state": state}
        assert (await client.post("/connectors", json=body)).json()["tasks"] == []
        status = await until_state(client, name, wanted)
        assert status["tasks"] == []

    @pytest.mark.parametrize("odd", ["ünï", "a b", "a>b", "a/b", "a%b", "a%20b", "a;b", "{x}", "?"])
    async def test_any_name_leads_back_from_its_location(
        self, client: httpx.AsyncClient, name: str, odd: str
    ) -> None:
        odd = f"{odd}{name}"
        response = await client.post("/connectors", json={"name": odd, "config": sink_config()})
        assert response.status_code == 201
        location = response.headers["location"]
        assert location.endswith(f"/connectors/{quote(odd, safe='')}")
        assert (await client.get(location)).json()["name"] == odd
        assert (await client.get(f"{location}/status")).json()["name"] == odd
        assert (await client.delete(location)).status_code == 204
        assert_error(await client.get(location), 404, f"Connector {odd} not found")


class TestReading:
    async def test_the_list_is_one_of_names(self, client: httpx.AsyncClient, made: str) -> None:
        assert made in (await client.get("/connectors")).json()

    async def test_an_expanded_list_holds_what_is_asked_for(
        self, client: httpx.AsyncClient, running: str
    ) -> None:
        response = await client.get("/connectors?expand=info&expand=status")
        entry = response.json()[running]
        assert entry["info"]["config"]["name"] == running
        assert entry["status"]["connector"]["state"] == "RUNNING"
        assert "trace" not in entry["status"]["connector"]
        only_info = (await client.get("/connectors?expand=info")).json()[running]
        assert list(only_info) == ["info"]
        assert (await client.get("/connectors?expand=zzz")).json()[running] == {}

    async def test_the_config_is_flat_and_as_submitted(
        self, client: httpx.AsyncClient, made: str
    ) -> None:
        response = await client.get(f"/connectors/{made}/config")
        assert response.json() == sink_config(name=made)

    async def test_a_running_connector_has_no_trace(
        self, client: httpx.AsyncClient, running: str
    ) -> None:
        status = (await client.get(f"/connectors/{running}/status")).json()
        assert list(status) == ["name", "connector", "tasks", "type"]
        worker_id, version = status["connector"]["worker_id"], status["connector"]["version"]
        assert worker_id
        same = {"state": "RUNNING", "worker_id": worker_id, "version": version}
        assert list(status["connector"].items()) == list(same.items())
        assert [list(task.items()) for task in status["tasks"]] == [
            [("id", 0), *same.items()],
        ]
        assert status["type"] == "sink"

    async def test_tasks_have_an_id_a_config_and_a_class(
        self, client: httpx.AsyncClient, made: str
    ) -> None:
        (task,) = (await client.get(f"/connectors/{made}/tasks")).json()
        assert task["config"]["connector.class"] == SINK_CLASS
        assert task["id"] == {"connector": made, "task": 0}
        assert task["config"].pop("task.class") == "io.tabular.iceberg.connect.IcebergSinkTask"
        assert task["config"] == sink_config(name=made)

    async def test_a_task_has_a_status_of_its_own(
        self, client: httpx.AsyncClient, running: str
    ) -> None:
        response = await client.get(f"/connectors/{running}/tasks/0/status")
        whole = (await client.get(f"/connectors/{running}/status")).json()
        assert response.json() == whole["tasks"][0]
        missing = await client.get(f"/connectors/{running}/tasks/99/status")
        assert_error(missing, 404, f"No status found for task {running}-99")

    async def test_topics_are_those_that_were_read(
        self, client: httpx.AsyncClient, running: str
    ) -> None:
        response = await client.get(f"/connectors/{running}/topics")
        assert list(response.json()) == [running]
        assert set(response.json()[running]["topics"]) <= {"apilogs"}

    async def test_topics_of_nobody_are_none(self, client: httpx.AsyncClient) -> None:
        assert (await client.get("/connectors/nope/topics")).json() == {"nope": {"topics": []}}


class TestConfiguring:
    async def test_a_put_makes_a_connector(self, client: httpx.AsyncClient, name: str) -> None:
        response = await client.put(f"/connectors/{name}/config", json=sink_config())
        assert response.status_code == 201
        assert response.headers["location"].endswith(f"/connectors/{name}")

    async def test_a_put_replaces_the_configuration(
        self, client: httpx.AsyncClient, made: str
    ) -> None:
        changed = sink_config(**{"tasks.max": "3"})
        response = await client.put(f"/connectors/{made}/config", json=changed)
        assert response.status_code == 200
        assert "location" not in response.headers
        assert response.json()["config"]["tasks.max"] == "3"

    async def test_a_wrapped_configuration_is_refused_and_changes_nothing(
        self, client: httpx.AsyncClient, made: str
    ) -> None:
        wrapped = {"name": made, "config": sink_config()}
        assert_error(await client.put(f"/connectors/{made}/config", json=wrapped), 400)
        assert (await client.get(f"/connectors/{made}/config")).json() == sink_config(name=made)

    async def test_a_patch_sets_and_removes(self, client: httpx.AsyncClient, made: str) -> None:
        path = f"/connectors/{made}/config"
        assert (await client.patch(path, json={"x": "1"})).json()["config"]["x"] == "1"
        response = await client.patch(path, json={"x": None})
        assert response.status_code == 200
        assert response.json()["config"] == sink_config(name=made)
        assert (await client.patch(path, json={})).status_code == 200

    async def test_a_patch_cannot_take_the_name_away(
        self, client: httpx.AsyncClient, made: str
    ) -> None:
        response = await client.patch(f"/connectors/{made}/config", json={"name": None})
        lines = assert_error(response, 400).splitlines()
        assert lines[0].endswith("contains the following 1 error(s):")
        assert lines[1] == 'Missing required configuration "name" which has no default value.'

    async def test_a_patch_cannot_rename(self, client: httpx.AsyncClient, made: str) -> None:
        response = await client.patch(f"/connectors/{made}/config", json={"name": "other"})
        mismatch = "Connector name configuration (other) doesn't match connector name in the URL"
        assert_error(response, 400, f"{mismatch} ({made})")


class TestDeleting:
    async def test_what_is_deleted_is_gone_at_once(
        self, client: httpx.AsyncClient, running: str
    ) -> None:
        response = await client.delete(f"/connectors/{running}")
        assert (response.status_code, response.content) == (204, b"")
        assert "content-type" not in response.headers
        assert_error(await client.get(f"/connectors/{running}"), 404)
        assert_error(await client.get(f"/connectors/{running}/status"), 404)
        assert_error(await client.delete(f"/connectors/{running}"), 404)

    async def test_a_name_is_free_again_at_once(
        self, client: httpx.AsyncClient, create: Create, running: str
    ) -> None:
        await client.delete(f"/connectors/{running}")
        assert (await create()).status_code == 201
        await until_state(client, running, "RUNNING")


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        ("GET", "", "Connector nope not found"),
        ("DELETE", "", "Connector nope not found"),
        ("GET", "/config", "Connector nope not found"),
        ("GET", "/tasks", "Connector nope not found"),
        ("GET", "/offsets", "Connector nope not found"),
        ("DELETE", "/offsets", "Connector nope not found"),
        ("GET", "/status", "No status found for connector nope"),
        ("GET", "/tasks/7/status", "No status found for task nope-7"),
        ("PUT", "/pause", "Unknown connector nope"),
        ("PUT", "/resume", "Unknown connector nope"),
        ("PUT", "/stop", "Unknown connector nope"),
        ("POST", "/restart", "Unknown connector: nope"),
        ("POST", "/restart?includeTasks=true", "Unknown connector: nope"),
        ("POST", "/tasks/0/restart", "Unknown connector: nope"),
    ],
)
async def test_each_call_says_in_its_own_words_that_a_connector_is_unknown(
    client: httpx.AsyncClient, method: str, path: str, message: str
) -> None:
    assert_error(await client.request(method, f"/connectors/nope{path}"), 404, message)


async def test_a_patch_of_an_unknown_connector_is_not_found(client: httpx.AsyncClient) -> None:
    response = await client.patch("/connectors/nope/config", json={})
    assert_error(response, 404, "Connector nope not found")
