"""PyIceberg's own SqlCatalog on the database of ours: each reads and writes what the other made."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError, TableAlreadyExistsError
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from tests.support.iceberg_rest import Rest, Space, expect_error, set_property
from tests.support.served import served

from frazil.table_catalog.app import create_app
from frazil.table_catalog.settings import Settings

ROWS = pa.table({"id": pa.array([1, 2]), "word": pa.array(["a", "b"])}).cast(
    pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("word", pa.string())])
)


@pytest.fixture
def space(url: str, tmp_path: Path) -> Iterator[Space]:
    settings = Settings(
        home=tmp_path,
        open=True,
        database_url=url,
        warehouse_root=(tmp_path / "files").as_uri(),
        warehouses=("lake",),
    )
    with (
        served(create_app(settings)) as address,
        httpx.Client(base_url=f"{address}{settings.prefix}", timeout=30, trust_env=False) as client,
    ):
        yield Rest(client, "lake").namespace()


@pytest.fixture
def sql(space: Space, url: str) -> Iterator[SqlCatalog]:
    address = url.replace("postgresql:", "postgresql+psycopg:")
    place = space.client.get(space.path).json()["properties"]["location"]
    files = place.rpartition("/")[0]
    catalog = SqlCatalog("lake", uri=address, warehouse=files, init_catalog_tables="false")
    yield catalog
    catalog.close()


def test_it_reads_and_appends_to_what_we_made(space: Space, sql: SqlCatalog) -> None:
    space.create("t", properties={"owner": "me"})
    space.client.post(f"{space.path}/properties", json={"updates": {"a": "1"}}).raise_for_status()
    assert (space.name,) in sql.list_namespaces()
    assert sql.load_namespace_properties(space.name)["a"] == "1"
    assert sql.list_tables(space.name) == [(space.name, "t")]
    table = sql.load_table((space.name, "t"))
    assert table.properties["owner"] == "me"
    table.append(ROWS)
    metadata = space.load("t")["metadata"]
    assert [one["summary"]["added-records"] for one in metadata["snapshots"]] == ["2"]
    # And the next one is again ours.
    space.commit(set_property("owner", "you")).raise_for_status()
    table.refresh()
    assert table.properties["owner"] == "you"
    assert table.scan().to_arrow().num_rows == 2


def test_we_read_and_commit_to_what_it_made(space: Space, sql: SqlCatalog) -> None:
    sql.create_namespace((space.name, "below"), {"b": "2"})
    inside = space.rest.at(space.name, "below")
    assert space.client.get(inside).json()["properties"]["b"] == "2"
    made = sql.create_table(
        (space.name, "theirs"), Schema(NestedField(1, "id", LongType(), required=True))
    )
    loaded = space.load("theirs")
    assert loaded["metadata"]["table-uuid"] == str(made.metadata.table_uuid)
    assert space.commit(set_property("a", "1"), name="theirs").status_code == 200
    assert sql.load_table((space.name, "theirs")).properties["a"] == "1"
    expect_error(
        space.client.post(f"{space.path}/tables", json=space.request("theirs")),
        409,
        "AlreadyExistsException",
    )


def test_neither_overwrites_a_commit_of_the_other(space: Space, sql: SqlCatalog) -> None:
    old = space.create("t")["metadata"]
    stale = sql.load_table((space.name, "t"))
    space.commit(
        {
            "action": "add-schema",
            "schema": {
                **old["schemas"][0],
                "schema-id": 1,
                "fields": old["schemas"][0]["fields"][:1],
            },
        },
        {"action": "set-current-schema", "schema-id": -1},
    ).raise_for_status()
    with pytest.raises(CommitFailedException), stale.update_schema() as update:
        update.add_column("more", LongType())
    fresh = sql.load_table((space.name, "t"))
    fresh.append(ROWS.select(["id"]))
    nothing_yet = ({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},)
    late = space.commit(set_property("a", "1"), requirements=nothing_yet)
    expect_error(late, 409, "CommitFailedException")


def test_names_are_moved_and_freed_for_both(space: Space, sql: SqlCatalog) -> None:
    space.create("one")
    sql.rename_table((space.name, "one"), (space.name, "two"))
    assert space.client.head(space.table("one")).status_code == 404
    space.client.delete(space.table("two")).raise_for_status()
    with pytest.raises(NoSuchTableError):
        sql.load_table((space.name, "two"))
    space.client.post(f"{space.path}/views", json=space.view_request("v")).raise_for_status()
    assert sql.list_tables(space.name) == []
    # It knows no views, but the name is taken.
    with pytest.raises(TableAlreadyExistsError):
        sql.create_table((space.name, "v"), Schema(NestedField(1, "id", LongType())))
