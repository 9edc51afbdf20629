"""Several catalog processes on one database, killed at any instruction: no commit is lost."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.catalog_fleet import TABLE, Fleet, write_under_fire
from tests.support.catalog_writers import Writer, check_chain, write_side_by_side
from tests.support.postgresql import PostgreSQL

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

# Five minutes: FRAZIL_TEST_FIRE_SECONDS=300
SECONDS = float(os.environ.get("FRAZIL_TEST_FIRE_SECONDS", "20"))  # noqa: TID251 (a test's own)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'shared.db'}"
    cluster: PostgreSQL = request.getfixturevalue("postgresql")
    return cluster.new_database()


@pytest.fixture
def fleet(tmp_path: Path, database_url: str) -> Iterator[Fleet]:
    root = (tmp_path / "warehouses").as_uri()
    with ExitStack() as stack:
        fleet = Fleet(tmp_path, 2, FRAZIL_DATABASE_URL=database_url, FRAZIL_WAREHOUSE_ROOT=root)
        stack.callback(fleet.close)
        fleet.begin()
        yield fleet


def test_two_processes_take_turns_on_one_table(fleet: Fleet) -> None:
    writers = [Writer(fleet.urls, TABLE, seed) for seed in range(4)]
    memories = write_side_by_side(writers, lambda memory: len(memory.acknowledged) >= 5)
    assert not any(memory.unsure for memory in memories)
    check_chain(fleet.metadata(), memories)


def test_what_was_acknowledged_survives_kills_without_end(fleet: Fleet, tmp_path: Path) -> None:
    memories = write_under_fire(fleet, writers=8, seconds=SECONDS)
    assert sum(len(memory.acknowledged) for memory in memories) > SECONDS
    metadata = fleet.metadata()
    check_chain(metadata, memories)
    _check_files(tmp_path / "warehouses", metadata)


def _check_files(root: Path, metadata: dict[str, object]) -> None:
    """No file of the chain was overwritten or deleted: each is whole and has its number."""
    log = metadata["metadata-log"]
    assert isinstance(log, list)
    for entry in log:
        file = Path(entry["metadata-file"].removeprefix("file://"))
        assert file.is_relative_to(root)
        assert file.read_bytes().endswith(b"}")
