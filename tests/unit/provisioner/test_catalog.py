"""PyIceberg's catalog on a file of SQLite: made once, read as it is, shared with others."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.types import StringType
from tests.support.local_state import local_state
from tests.support.provisioner_world import apply

from frazil.provisioner.desired import Catalog
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import CreateCatalog, CreateNamespace, CreateTable, Plan, Step
from frazil.provisioner.steps.catalog import CatalogSystem, open_catalog


def wanted(folder: Path) -> Catalog:
    """The tables of the local stack, in a file."""
    catalog = local_state().catalog
    assert catalog
    file = {
        "type": "sql",
        "uri": f"sqlite:///{folder / 'new' / 'catalog.db'}?timeout=10",
        "warehouse": f"file://{folder / 'w'}",
    }
    return catalog.model_copy(update={"properties": file})


@pytest.fixture
async def system(tmp_path: Path) -> AsyncIterator[CatalogSystem]:
    async with open_catalog(wanted(tmp_path), 10) as opened:
        yield opened


@pytest.fixture
async def rival(tmp_path: Path) -> AsyncIterator[CatalogSystem]:
    async with open_catalog(wanted(tmp_path), 10) as opened:
        yield opened


async def steps(system: CatalogSystem) -> tuple[Step, ...]:
    return (await system.plan()).steps


async def test_planning_leaves_no_file_behind(system: CatalogSystem, tmp_path: Path) -> None:
    assert len(await steps(system)) == 5
    assert not (tmp_path / "new").exists()


async def test_after_apply_nothing_is_left_to_do(
    system: CatalogSystem, rival: CatalogSystem
) -> None:
    done = await apply(system)
    assert len(done.steps) == 5
    assert (await system.plan()).is_empty
    assert (await rival.plan()).is_empty


async def test_the_file_suits_the_other_engine(system: CatalogSystem, tmp_path: Path) -> None:
    await apply(system)
    with sqlite3.connect(tmp_path / "new" / "catalog.db") as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        types = database.execute("SELECT DISTINCT iceberg_type FROM iceberg_tables").fetchall()
    database.close()
    assert types == [("TABLE",)]


async def test_what_another_has_made_meanwhile_is_no_error(
    system: CatalogSystem, rival: CatalogSystem
) -> None:
    while planned := await steps(system):
        await rival.apply(planned[0])
        await system.apply(planned[0])
    assert (await rival.plan()).is_empty


async def test_catalog_tables_that_another_has_made_are_kept(
    system: CatalogSystem, rival: CatalogSystem
) -> None:
    await apply(rival)
    await system.apply(CreateCatalog("iceberg"))
    assert (await system.plan()).is_empty


async def test_a_column_added_by_evolution_is_fine_and_a_dropped_one_is_drift(
    system: CatalogSystem, tmp_path: Path
) -> None:
    await apply(system)
    catalog = SqlCatalog("iceberg", **wanted(tmp_path).properties)
    with catalog.load_table("streaming.auditlogs").update_schema() as update:
        update.add_column("message", StringType())
    assert (await system.plan()).is_empty
    with catalog.load_table("streaming.auditlogs").update_schema() as update:
        update.delete_column("details")
    catalog.engine.dispose()
    assert await system.plan() == Plan(
        drifts=("Table streaming.auditlogs has no column details (string).",)
    )


async def test_a_table_without_its_namespace_is_a_step_that_failed(
    system: CatalogSystem, tmp_path: Path
) -> None:
    await system.apply(CreateCatalog("iceberg"))
    table = wanted(tmp_path).tables[0]
    with pytest.raises(StepFailedError, match=r"Could not create table streaming\.apilogs"):
        await system.apply(CreateTable(table))
    await system.apply(CreateNamespace("streaming"))
    await system.apply(CreateTable(table))


async def test_a_file_that_is_no_database_is_a_sentence(
    system: CatalogSystem, tmp_path: Path
) -> None:
    file = tmp_path / "new" / "catalog.db"
    file.parent.mkdir()
    file.write_text("x" * 2000)
    with pytest.raises(
        UnavailableError, match=r"The catalog does not answer at sqlite.*not a data"
    ):
        await system.plan()
