"""PyIceberg, as people have it, against the catalog: it is our first client."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchTableError, TableAlreadyExistsError
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import StringType
from tests.support.served import served

from frazil.table_catalog.app import create_app
from frazil.table_catalog.settings import Settings

ROWS = pa.table({"a": pa.array([1, 2, 3], pa.int64()), "b": ["x", "y", None]})


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("catalog")
    settings = Settings(
        open=True,
        database_url=f"sqlite:///{folder / 'catalog.db'}",
        warehouse_root=(folder / "warehouses").as_uri(),
        warehouses=("lake",),
    )
    with served(create_app(settings)) as address:
        yield f"{address}{settings.prefix}"


@pytest.fixture
def catalog(uri: str) -> Catalog:
    catalog = load_catalog("lake", type="rest", uri=uri, warehouse="lake")
    catalog.create_namespace_if_not_exists("ns")
    for identifier in catalog.list_tables("ns"):
        catalog.drop_table(identifier)
    return catalog


def test_tables_are_written_evolved_branched_and_tagged(catalog: Catalog) -> None:
    table = catalog.create_table("ns.t", ROWS.schema)
    table.append(ROWS)
    with table.update_schema() as schema:
        schema.add_column("c", StringType())
    with table.update_spec() as spec:
        spec.add_field("a", BucketTransform(4), "a_bucket")
    first = table.current_snapshot()
    assert first is not None
    table.manage_snapshots().create_branch(first.snapshot_id, "side").create_tag(
        first.snapshot_id, "v1"
    ).commit()
    wider = ROWS.append_column("c", pa.array(["1", "2", "3"]))
    table.append(wider, branch="side")
    table.append(wider)
    table.append(wider)
    fresh = catalog.load_table("ns.t")
    assert fresh.scan().to_arrow().num_rows == 9
    side = fresh.refs()["side"].snapshot_id
    assert fresh.scan(snapshot_id=side).to_arrow().num_rows == 6
    assert fresh.refs()["v1"].snapshot_id == first.snapshot_id
    fresh.delete("a = 1")
    assert fresh.scan().to_arrow().num_rows == 6


def test_a_staged_table_comes_with_its_rows(catalog: Catalog) -> None:
    with catalog.create_table_transaction("ns.staged", ROWS.schema) as transaction:
        assert not catalog.table_exists("ns.staged")
        transaction.append(ROWS)
    assert catalog.load_table("ns.staged").scan().to_arrow().num_rows == 3
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table("ns.staged", ROWS.schema)


def test_tables_are_renamed_dropped_and_registered(catalog: Catalog) -> None:
    made = catalog.create_table("ns.old", ROWS.schema)
    catalog.rename_table("ns.old", "ns.new")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("ns.old")
    catalog.drop_table("ns.new")
    back = catalog.register_table("ns.back", made.metadata_location)
    assert back.metadata.table_uuid == made.metadata.table_uuid


def test_a_purge_leaves_no_file(catalog: Catalog) -> None:
    table = catalog.create_table("ns.gone", ROWS.schema)
    # The second snapshot has the first one's manifest.
    table.append(ROWS)
    table.append(ROWS)
    folder = Path(table.location().removeprefix("file://"))
    assert any(one.is_file() for one in folder.rglob("*"))
    catalog.purge_table("ns.gone")
    # Files are deleted after the answer.
    deadline = time.monotonic() + 10
    while left := [one for one in folder.rglob("*") if one.is_file()]:
        assert time.monotonic() < deadline, left
        time.sleep(0.01)


def test_writers_side_by_side_lose_nothing(catalog: Catalog, uri: str) -> None:
    catalog.create_table("ns.busy", ROWS.schema, properties={"commit.retry.num-retries": "20"})

    def write(_number: int) -> None:
        own = load_catalog("lake", type="rest", uri=uri, warehouse="lake")
        own.load_table("ns.busy").append(ROWS)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(8)))
    busy = catalog.load_table("ns.busy")
    assert busy.scan().to_arrow().num_rows == 24
    assert len(busy.history()) == 8
