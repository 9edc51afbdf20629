"""Filters, pages, dry runs and bulk steering; and Connect's own answers, which they leave alone."""

import httpx
import pytest
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import SINK_CLASS, sink_config

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def listed(client: httpx.AsyncClient, query: str) -> list[str]:
    response = await client.get(f"/connectors?{query}")
    assert response.status_code == 200, response.text
    names: list[str] = response.json()
    assert response.headers["X-Total-Count"] == str(len(names))
    return names


async def test_without_our_parameters_the_list_is_connects(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    response = await client.get("/connectors")
    assert name in response.json()
    assert not {"x-total-count", "link"} & set(response.headers)


async def test_filters_choose_by_label_class_type_state_and_name(
    client: httpx.AsyncClient, create: Create, name: str
) -> None:
    lake = await create("-lake", **{"frazil.label.for": name, "frazil.label.team": "lake"})
    ops = await create("-ops", **{"frazil.label.for": name, "frazil.label.team": "ops"})
    await client.put(f"/connectors/{ops}/stop")
    await until_state(client, ops, "STOPPED")
    await until_state(client, lake, "RUNNING")
    mine = f"label=for={name}"
    assert await listed(client, mine) == [lake, ops]
    assert await listed(client, f"{mine}&label=team=lake") == [lake]
    assert await listed(client, f"{mine}&label=team") == [lake, ops]
    assert await listed(client, f"{mine}&state=stopped") == [ops]
    assert await listed(client, f"{mine}&state=STOPPED&state=RUNNING") == [lake, ops]
    assert await listed(client, f"{mine}&class={SINK_CLASS}&type=sink") == [lake, ops]
    assert await listed(client, f"{mine}&type=source") == []
    assert await listed(client, f"search={name.upper()}-L") == [lake]


async def test_pages_lead_from_one_to_the_next_also_when_expanded(
    client: httpx.AsyncClient, create: Create, name: str
) -> None:
    made = [await create(f"-{letter}") for letter in "abc"]
    query = f"/connectors?search={name}&limit=2"
    first = await client.get(query)
    assert first.json() == made[:2]
    assert first.headers["X-Total-Count"] == "3"
    link, _, relation = first.headers["Link"].partition("; ")
    assert relation == 'rel="next"'
    second = await client.get(link.strip("<>"))
    assert second.json() == made[2:]
    assert "Link" not in second.headers
    expanded = await client.get(f"{query}&expand=info")
    assert list(expanded.json()) == made[:2]
    assert "expand=info" in expanded.headers["Link"]


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("state=fine", "state"),
        ("type=pipe", "type"),
        ("limit=0", "limit"),
        ("limit=all", "limit"),
        ("label==x", "label"),
    ],
)
async def test_parameters_that_make_no_sense_are_refused(
    client: httpx.AsyncClient, query: str, word: str
) -> None:
    assert word in assert_error(await client.get(f"/connectors?{query}"), 400)


class TestDryRun:
    async def test_a_create_is_planned_and_not_done(
        self, client: httpx.AsyncClient, name: str
    ) -> None:
        body = {"name": name, "config": sink_config(topcis="x"), "initial_state": "PAUSED"}
        response = await client.post("/connectors?dry_run=true", json=body)
        assert response.status_code == 200
        assert "Location" not in response.headers
        plan = response.json()
        assert list(plan) == [
            "name",
            "created",
            "restarts",
            "target",
            "config",
            "diff",
            "warnings",
        ]
        assert (plan["created"], plan["target"]) == (True, "PAUSED")
        assert plan["config"]["name"] == name
        assert plan["warnings"] == ["topcis is not a key of this connector and is ignored."]
        assert (await client.get(f"/connectors/{name}")).status_code == 404

    async def test_a_change_is_planned_and_not_done(
        self, client: httpx.AsyncClient, create: Create
    ) -> None:
        name = await create()
        path = f"/connectors/{name}/config?dry_run=true"
        plan = (await client.put(path, json=sink_config(topics="b"))).json()
        assert (plan["created"], plan["restarts"]) == (False, True)
        assert plan["diff"]["changed"] == {"topics": {"before": "apilogs", "after": "b"}}
        assert (await client.get(f"/connectors/{name}/config")).json()["topics"] == "apilogs"
        same = (await client.put(path, json=sink_config())).json()
        assert not same["restarts"]

    async def test_a_label_can_change_without_a_new_worker(
        self, client: httpx.AsyncClient, create: Create
    ) -> None:
        name = await create()
        config = sink_config(**{"frazil.label.team": "lake"})
        plan = (await client.put(f"/connectors/{name}/config?dry_run=true", json=config)).json()
        assert not plan["restarts"]
        assert plan["diff"]["added"] == {"frazil.label.team": "lake"}

    async def test_errors_are_those_of_the_real_call(
        self, client: httpx.AsyncClient, create: Create
    ) -> None:
        name = await create()
        for query in ("", "?dry_run=true"):
            taken = {"name": name, "config": sink_config()}
            assert_error(await client.post(f"/connectors{query}", json=taken), 409)
            faulty = {"name": name, "config": sink_config(**{"tasks.max": "0"})}
            assert_error(await client.post(f"/connectors{query}", json=faulty), 400)

    async def test_a_flag_that_is_not_understood_does_nothing(
        self, client: httpx.AsyncClient, name: str
    ) -> None:
        body = {"name": name, "config": sink_config()}
        assert_error(await client.post("/connectors?dry_run=banana", json=body), 400)
        assert (await client.get(f"/connectors/{name}")).status_code == 404


class TestBulk:
    async def test_those_that_are_meant_are_steered_and_told_of(
        self, client: httpx.AsyncClient, create: Create, name: str
    ) -> None:
        made = [await create(f"-{letter}") for letter in "ab"]
        await client.put(f"/connectors/{made[1]}/pause")
        response = await client.put(f"/bulk/pause?search={name}")
        assert response.status_code == 202
        assert response.json() == {
            "matched": 2,
            "connectors": {made[0]: "done", made[1]: "unchanged"},
        }
        await until_state(client, made[0], "PAUSED")
        resumed = await client.put(f"/bulk/resume?search={name}")
        assert resumed.json()["connectors"] == dict.fromkeys(made, "done")
        await until_state(client, made[0], "RUNNING")
        await until_state(client, made[1], "RUNNING")
        failed = await client.put(f"/bulk/restart?search={name}&onlyFailed=true")
        assert failed.json()["connectors"] == dict.fromkeys(made, "unchanged")
        again = await client.put(f"/bulk/restart?search={name}")
        assert again.json()["connectors"] == dict.fromkeys(made, "done")

    async def test_nobody_steers_all_by_accident(
        self, client: httpx.AsyncClient, name: str
    ) -> None:
        for verb in ("pause", "resume", "restart"):
            assert "all=true" in assert_error(await client.put(f"/bulk/{verb}"), 400)
        response = await client.put(f"/bulk/pause?search={name}&all=true")
        assert response.json() == {"matched": 0, "connectors": {}}
