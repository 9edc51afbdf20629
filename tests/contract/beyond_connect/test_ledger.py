"""`GET /connectors/{c}/ledger`: a real table in a SQLite catalog, read by a process of its own.

The first test has the whole of it; others read in this process, which saves a second each.
"""

import sys
import time
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs
from tests.contract.beyond_connect.conftest import Create, Lake
from tests.support.connect_rest import assert_error

from frazil.contracts.ledger import Ledger
from frazil.control_api.core.insight import Insight
from frazil.control_api.tables.child import Child
from frazil.control_api.tables.reader import TableReader

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_table_proves_what_is_in_it(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    lake.commit({"t": {0: 0}}, {"t": {0: 3}})
    lake.append_foreign()
    newest = lake.commit({"t": {0: 3}}, {"t": {0: 7}}, written=2, dead=1, rewind=0)
    name = await create(**lake.config)
    response = await client.get(f"/connectors/{name}/ledger")
    assert response.status_code == 200, response.text
    body = response.json()
    assert (body["name"], body["proved"]) == (name, True)
    (table,) = body["tables"]
    assert table["table"] == "streaming.rows"
    assert (table["balanced"], table["contiguous"], table["whole"]) == (True, True, True)
    assert table["sums"] == {
        "commits": 2,
        "offsets": 7,
        "consumed": 6,
        "written": 5,
        "filtered": 0,
        "dead": 1,
        "nulled": 0,
        "redriven": 0,
        "undone": 0,
    }
    assert (table["rows"], table["snapshots"]) == (9, 3)
    assert (table["jumps"], table["imbalances"], table["last_rewind"]) == ([], [], None)
    assert Ledger.model_validate(table["ledger"]) == newest


@pytest.mark.usefixtures("in_process")
async def test_what_is_amiss_is_named(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    lake.commit({"t": {0: 0}}, {"t": {0: 3}})
    lake.commit({"t": {0: 5}}, {"t": {0: 8}}, written=4)
    lake.commit({"t": {0: 2}}, {"t": {0: 5}}, rewind=9)
    name = await create(**lake.config)
    (table,) = (await client.get(f"/connectors/{name}/ledger")).json()["tables"]
    assert not table["proved"]
    gap, back = table["jumps"]
    ids = [snapshot.snapshot_id for snapshot in lake.table.snapshots()]
    assert gap == {
        "kind": "gap",
        "snapshot_id": ids[1],
        "topic": "t",
        "partition": 0,
        "ended": 3,
        "began": 5,
        "wanted": None,
    }
    assert (back["kind"], back["wanted"]) == ("overlap", "rewind 9")
    assert [one["snapshot_id"] for one in table["imbalances"]] == [ids[1]]
    assert (table["last_rewind"]["number"], table["last_rewind"]["snapshot_id"]) == (9, ids[2])


@pytest.mark.usefixtures("in_process")
async def test_a_table_that_nothing_was_written_to_proves_nothing(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    name = await create(**lake.config)
    body = (await client.get(f"/connectors/{name}/ledger")).json()
    assert not body["proved"]
    assert (body["tables"][0]["ledger"], body["tables"][0]["rows"]) == (None, 0)


@pytest.mark.usefixtures("in_process")
async def test_the_branch_that_is_committed_to_is_the_one_that_is_read(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    lake.commit({"t": {0: 0}}, {"t": {0: 3}})
    first = lake.table.snapshots()[0].snapshot_id
    lake.table.manage_snapshots().create_branch(first, "dev").commit()
    lake.commit({"t": {0: 3}}, {"t": {0: 6}})
    name = await create(**lake.config | {"iceberg.table.rows.commit-branch": "dev"})
    (table,) = (await client.get(f"/connectors/{name}/ledger")).json()["tables"]
    assert (table["sums"]["commits"], table["snapshot_id"]) == (1, first)
    (table,) = (await client.get(f"/connectors/{name}/ledger?branch=main")).json()["tables"]
    assert (table["sums"]["commits"], table["proved"]) == (2, True)
    (table,) = (await client.get(f"/connectors/{name}/ledger?branch=none")).json()["tables"]
    assert (table["ledger"], table["proved"]) == (None, False)


@pytest.mark.usefixtures("in_process")
async def test_what_was_rolled_back_is_no_part_of_the_proof(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    lake.commit({"t": {0: 0}}, {"t": {0: 3}})
    first = lake.table.snapshots()[0].snapshot_id
    lake.commit({"t": {0: 3}}, {"t": {0: 6}})
    lake.table.manage_snapshots().rollback_to_snapshot(first).commit()
    name = await create(**lake.config)
    (table,) = (await client.get(f"/connectors/{name}/ledger")).json()["tables"]
    assert (table["sums"]["commits"], table["snapshot_id"]) == (1, first)


@pytest.mark.usefixtures("in_process")
async def test_a_table_or_a_catalog_that_is_not_there_is_said(
    client: httpx.AsyncClient, create: Create, lake: Lake, tmp_path: Path
) -> None:
    lost = await create("-lost", **lake.config | {"iceberg.tables": "streaming.lost"})
    message = assert_error(await client.get(f"/connectors/{lost}/ledger"), 502)
    assert message.startswith(f"The catalog of {lost} cannot be read: ")
    assert "streaming.lost" in message
    nowhere = {"iceberg.catalog.uri": f"jdbc:sqlite:{tmp_path}/none/catalog.db"}
    away = await create("-away", **lake.config | nowhere)
    assert "does not exist" in assert_error(await client.get(f"/connectors/{away}/ledger"), 502)
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("in_process")
async def test_nobody_is_told_a_secret(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    config = lake.config | {
        "iceberg.catalog.uri": "jdbc:postgresql://127.0.0.1:1/lake",
        "iceberg.catalog.jdbc.user": "me",
        "iceberg.catalog.jdbc.password": "hunter2",
    }
    name = await create(**config)
    with capture_logs() as logs:
        message = assert_error(await client.get(f"/connectors/{name}/ledger"), 502)
    assert message.endswith("its database cannot be read (OperationalError)")
    assert "hunter2" not in message + str(logs)
    assert "127.0.0.1" in str(logs)


@pytest.mark.usefixtures("in_process")
async def test_catalogs_that_cannot_be_asked_are_refused_with_a_sentence(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    name = await create(**lake.config | {"iceberg.catalog.type": "hive"})
    message = assert_error(await client.get(f"/connectors/{name}/ledger"), 400)
    assert "through a catalog hive" in message


@pytest.mark.usefixtures("in_process")
async def test_connectors_without_a_table_have_no_ledger(
    client: httpx.AsyncClient, name: str
) -> None:
    config = {"connector.class": "FileStreamSource", "file": "x", "topic": "t"}
    await client.put(f"/connectors/{name}/config", json=config)
    message = assert_error(await client.get(f"/connectors/{name}/ledger"), 400)
    assert message.startswith(f"Connector {name} writes to no Iceberg table")
    await client.delete(f"/connectors/{name}")


class TestBounds:
    """Processes that do not do what they should, in the place of the one that reads tables."""

    @pytest.fixture
    def insight(self, app: FastAPI, in_process: None) -> Insight:  # noqa: ARG002 (put back by it)
        insight: Insight = app.state.insight
        return insight

    async def test_a_catalog_that_hangs_is_left_and_its_process_ended(
        self, client: httpx.AsyncClient, create: Create, insight: Insight, tmp_path: Path
    ) -> None:
        sleeper = (
            f"import time, pathlib; time.sleep(3); pathlib.Path({str(tmp_path / 'x')!r}).touch()"
        )
        insight._tables = TableReader(Child((sys.executable, "-c", sleeper)), timeout=0.3)
        name = await create()
        before = time.monotonic()
        message = assert_error(await client.get(f"/connectors/{name}/ledger"), 504)
        assert message == f"The catalog of {name} did not answer within 0 s"
        assert time.monotonic() - before < 2
        assert not (tmp_path / "x").exists()

    async def test_a_process_that_dies_is_an_answer_too(
        self, client: httpx.AsyncClient, create: Create, insight: Insight
    ) -> None:
        insight._tables = TableReader(Child((sys.executable, "-c", "raise SystemExit('no')")))
        name = await create()
        message = assert_error(await client.get(f"/connectors/{name}/ledger"), 502)
        assert message.endswith("the process that reads tables has died; see the log")
