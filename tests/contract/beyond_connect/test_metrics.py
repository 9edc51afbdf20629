"""`/metrics`: all names are declared in one file, and all that are declared are exposed."""

import re

import httpx
import pytest
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import until_state
from tests.support.control_api import eventually

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.worker_status import MaintenanceStatus, TableStatus
from frazil.control_api.engine.fake import Behaviour, FakeEngine
from frazil.runtime.metrics import declared

pytestmark = pytest.mark.asyncio(loop_scope="session")

# What prometheus_client adds by itself, about the process and about each of our counters.
_NOT_OURS = re.compile(r"(python|process)_\w+|\w+_created")


async def exposed(client: httpx.AsyncClient) -> str:
    response = await client.get("/metrics", headers={"Accept": "text/plain"})
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain")
    return response.text


def value(text: str, sample: str) -> float | None:
    found = re.search(rf"^{re.escape(sample)} (\S+)$", text, re.M)
    return float(found[1]) if found else None


async def test_what_is_declared_is_exposed_and_nothing_else(client: httpx.AsyncClient) -> None:
    families = re.findall(r"^# TYPE (\w+) (\w+)$", await exposed(client), re.M)
    ours = [(name, kind) for name, kind in families if not _NOT_OURS.fullmatch(name)]
    assert sorted(ours) == sorted((one.name, one.type) for one in declared())


async def test_a_connector_is_told_of_while_it_is_there(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    engine.behaviours[name] = Behaviour(commits=3)
    await create()
    await until_state(client, name, "RUNNING")
    label = f'{{connector="{name}"}}'

    async def is_told() -> bool:
        return value(await exposed(client), f"kafka_connector_commits_total{label}") == 3

    await eventually("the reconciler has seen the worker", is_told)
    text = await exposed(client)
    assert value(text, f"kafka_connector_records_processed_total{label}") == 0
    assert value(text, f"kafka_connector_healthy{label}") == 1
    assert value(text, f"kafka_connector_lag_records{label}") is None, "nobody knows it yet"
    assert value(text, f'kafka_connect_connector_status{{connector="{name}",status="running"}}')
    assert value(text, f"kafka_connect_worker_connector_running_task_count{label}") == 1
    assert value(text, f"kafka_connect_worker_connector_failed_task_count{label}") == 0
    await client.delete(f"/connectors/{name}")
    assert name not in await exposed(client)


async def test_a_table_is_told_of_where_it_is_looked_after(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    kept = MaintenanceStatus(files=3, median_file_bytes=70_000_000, merged_files=40)
    engine.behaviours[name] = Behaviour(
        tables={"ns.kept": TableStatus(maintenance=kept), "ns.plain": TableStatus()}
    )
    await create()
    await until_state(client, name, "RUNNING")
    label = f'{{connector="{name}",table="ns.kept"}}'

    async def is_told() -> bool:
        return value(await exposed(client), f"kafka_connector_table_files{label}") == 3

    await eventually("the reconciler has seen the worker", is_told)
    text = await exposed(client)
    assert value(text, f"kafka_connector_table_median_file_bytes{label}") == 70_000_000
    assert value(text, f"kafka_connector_table_merged_files_total{label}") == 40
    assert value(text, f"kafka_connector_table_snapshots{label}") is None, "nobody has counted"
    assert "ns.plain" not in text


async def test_connectors_are_counted_by_state_and_class(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    sample = 'frazil_connectors{class="io.tabular.iceberg.connect.IcebergSinkConnector",'
    text = await exposed(client)
    before = value(text, sample + 'state="FAILED"}') or 0
    tasks = value(text, 'frazil_tasks{state="FAILED"}') or 0
    engine.behaviours[name] = Behaviour(exits_with=ExitCode.BAD_TABLE)
    await create()
    await until_state(client, name, "FAILED")
    text = await exposed(client)
    assert value(text, sample + 'state="FAILED"}') == before + 1
    assert value(text, 'frazil_tasks{state="FAILED"}') == tasks + 1
    label = f'{{connector="{name}"}}'
    assert value(text, f"kafka_connector_healthy{label}") == 0
    assert value(text, f"kafka_connect_worker_connector_failed_task_count{label}") == 1
    assert value(text, f"kafka_connector_commits_total{label}") is None


async def test_the_server_tells_of_itself(client: httpx.AsyncClient, engine: FakeEngine) -> None:
    await exposed(client)
    text = await exposed(client)
    assert value(text, "frazil_leader") == 1
    assert value(text, "frazil_engine_trouble") == 0
    assert value(text, "frazil_queue_names") is not None
    assert 'route="/metrics"' in text
    engine.trouble = "away"
    try:
        assert value(await exposed(client), "frazil_engine_trouble") == 1
    finally:
        engine.trouble = None
