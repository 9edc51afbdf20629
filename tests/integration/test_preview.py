"""Previews: what a sink would do with records, told by the sink's own code, and not done."""

import asyncio
from pathlib import Path

import pytest
from tests.support.control_api import eventually
from tests.support.fleet_lab import FleetLab
from tests.support.lab import Lab
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.assignment import Assignment
from frazil.contracts.preview import CreatedTable
from frazil.contracts.schema_change import SchemaRules
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.previews import Previews, PreviewState
from frazil.control_api.engine.process import ProcessEngine
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.plant import SystemClock

pytestmark = LEAVES_SOCKETS
FOLLOWING = {
    "iceberg.tables.auto-create-enabled": "true",
    "iceberg.tables.evolve-schema-enabled": "true",
    "errors.tolerance": "all",
}


def test_a_table_that_would_be_changed_is_not(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT NOT NULL)")
    before = lake.sql("SELECT count(*) FROM NS.a.metadata_log_entries")
    keys = {"iceberg.tables": f"{lake.namespace}.a", **FOLLOWING}
    found = lake.preview(keys, [{"id": 1, "more": "x"}, {"id": 2}, {"more": "y"}, "{", None])
    (table,) = found.tables
    assert (table.exists, table.create, table.trouble) == (True, None, None)
    assert list(map(str, table.changes)) == ["add column more (string)"]
    assert (found.records, table.rows, table.dead, found.dead) == (5, 2, 2, 2)
    assert sorted((one.offset, one.reason) for one in found.letters)[0] == (
        2,
        "column id is required and has no value",
    )
    assert found.step == "done"
    assert lake.columns("a") == {"id": "bigint"}
    assert lake.ids("a") == []
    assert lake.sql("SELECT count(*) FROM NS.a.metadata_log_entries") == before


def test_tables_that_would_be_created_are_told_with_their_partitions(lake: FleetLab) -> None:
    keys = {
        "frazil.tables.route": f"{lake.namespace}.deep.${{value.kind}}",
        "iceberg.table.a.partition-by": "bucket(id, 4), kind",
        "iceberg.table.b.partition-by": "day(kind)",
        **FOLLOWING,
    }
    records = [{"id": 1, "kind": "a"}, {"id": 2, "kind": "b"}, {"id": 3}, "{"]
    found = lake.preview(keys, records)
    good, bad = found.tables
    columns = {"id": "bigint", "kind": "string"}
    assert good.create == CreatedTable(columns=columns, partitions=("bucket(id, 4)", "kind"))
    assert [one.kind for one in good.changes] == ["create", "add", "add"]
    assert (good.exists, good.rows) == (False, 1)
    assert "cannot be partitioned as asked for" in str(bad.trouble)
    assert (found.records, found.astray, found.dead) == (4, 1, 1)
    assert [(one.table, one.offset) for one in found.letters] == [(None, 3)]
    assert lake.sql("SHOW NAMESPACES IN NS") == []


def test_a_preview_tells_what_would_wait_and_what_is_missing(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    keys = {
        "frazil.tables.route": f"{lake.namespace}.${{value.kind}}",
        **FOLLOWING,
        "frazil.tables.schema-changes": "ask",
        "iceberg.tables.auto-create-enabled": "false",
    }
    records = [{"id": 1, "kind": "a", "more": 1}, {"id": 2, "kind": "nowhere"}]
    found = lake.preview(keys, records, rules={"a": SchemaRules(refused=("more",))})
    waiting, missing = found.tables
    assert [one.path for one in waiting.waits_for] == ["kind"]
    assert waiting.waits_for == waiting.changes
    assert "does not exist" in str(missing.trouble)
    assert found.astray == 1


def test_records_that_change_rows_are_looked_at_too(lake: FleetLab) -> None:
    keys = {
        "iceberg.tables": f"{lake.namespace}.a",
        "iceberg.tables.upsert-mode-enabled": "true",
        "iceberg.table.a.id-columns": "id",
        "frazil.tables.sequence-field": "at",
        **FOLLOWING,
    }
    found = lake.preview(keys, [{"id": 1, "at": 1}, {"id": 1, "at": 2}])
    assert (found.tables[0].rows, found.tables[0].trouble) == (2, None)
    assert lake.sql("SHOW TABLES IN NS") == []


@pytest.mark.asyncio
async def test_a_worker_of_its_own_tells_of_the_newest_records_and_leaves_nothing(
    lab: Lab, tmp_path: Path
) -> None:
    await asyncio.to_thread(lab.produce, range(300))
    await asyncio.to_thread(lab.produce_raw, [b"{"])
    engine = ProcessEngine(tmp_path / "engine")
    outfitter = Outfitter(
        worker_id="127.0.0.1:8083", kafka={"bootstrap.servers": lab.bootstrap_servers}
    )

    async def outfit(connector: Connector, name: str, *, epoch: int, records: int) -> Assignment:
        return outfitter.preview(connector, name, epoch=epoch, records=records)

    previews = Previews(engine, engine.inspect, outfit, clock=SystemClock(), token=lambda: "ab12")
    preview = await previews.begin(Connector("lab", {**lab.config, **FOLLOWING}), 90)

    async def is_done() -> bool:
        return (await previews.find(preview)).state.is_final

    await eventually("the preview is done", is_done, seconds=120)
    run = await previews.find(preview)
    assert (run.state, run.trace) == (PreviewState.DONE, None)
    (table,) = run.found.tables
    assert (run.found.records, table.rows, table.dead) == (90, 89, 1)
    assert [(one.topic, one.table) for one in run.found.letters] == [(lab.topic, table.table)]
    assert table.create is not None
    assert set(table.create.columns) == {"id", "time", "bucket"}
    assert lab.catalog.list_tables("streaming") == []
    await previews.end(preview)
    assert await engine.connectors() == []
    await engine.close()
