"""Rights to namespaces hold for folders too: whose files the catalog writes, reads and deletes."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import create_engine, text
from structlog.testing import capture_logs
from tests.support.catalog_keys import KeyedCatalog, keyed_catalog
from tests.support.iceberg_rest import SCHEMA, Space, append, expect_error, set_property
from tests.support.postgresql import PostgreSQL

Json = dict[str, Any]

KEYS: dict[str, Json] = {
    "mallory": {"write": ["wh/a"], "read": ["wh/b"]},
    "bob": {"write": ["wh/b"]},
    "carol": {"write": ["wh/c"]},
    "dora": {"write": ["wh/b", "wh/d"]},
    "emil": {"write": ["wh/b", "wh/e"]},
    "both": {"write": ["wh/a", "wh/b"]},
    "nested": {"write": ["wh/b.accounts"]},
    "below": {"write": ["wh/b.*"]},
    "root": {"admin": True, "write": ["wh"]},
}
FOLDERS = (
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[KeyedCatalog]:
    with keyed_catalog(tmp_path, KEYS) as catalog:
        yield catalog


@pytest.fixture
def on_postgresql(tmp_path: Path, postgresql: PostgreSQL) -> Iterator[KeyedCatalog]:
    url = postgresql.new_database()
    with keyed_catalog(tmp_path, KEYS, database_url=url) as catalog:
        yield catalog


@pytest.fixture
def mine(catalog: KeyedCatalog) -> Space:
    """What an attacker may write to."""
    return catalog.space("mallory", "a")


@pytest.fixture
def accounts(catalog: KeyedCatalog) -> Json:
    """Somebody else's table."""
    return catalog.space("bob", "b").create("accounts")


def statistics(path: str) -> Json:
    file = {
        "snapshot-id": 1,
        "statistics-path": path,
        "file-size-in-bytes": 1,
        "file-footer-size-in-bytes": 1,
        "blob-metadata": [],
    }
    return {"action": "set-statistics", "statistics": file}


def set_location(location: str) -> Json:
    return {"action": "set-location", "location": location}


def create(space: Space, name: str, **more: Any) -> httpx.Response:
    return space.client.post(f"{space.path}/tables", json=space.request(name, **more))


def register(space: Space, location: str, name: str = "taken", **more: Any) -> httpx.Response:
    body = {"name": name, "metadata-location": location, **more}
    return space.client.post(f"{space.path}/register", json=body)


def drop(space: Space, name: str) -> httpx.Response:
    return space.client.delete(space.table(name), params={"purgeRequested": "true"})


def purge(space: Space, name: str) -> None:
    """Drop a table with its files, which are deleted after the answer."""
    with capture_logs() as records:
        drop(space, name).raise_for_status()
        for _ in range(1000):
            if any(one["event"] == "table_purged" for one in records):
                return
            time.sleep(0.01)
    raise AssertionError("the purge has no end")


def rename(space: Space, name: str, target: Json) -> httpx.Response:
    body = {"source": space.named(name), "destination": target}
    return space.client.post(f"{space.rest.root}/tables/rename", json=body)


def put_metadata(catalog: KeyedCatalog, place: str, like: Json, **changes: Any) -> str:
    """Write a metadata file as somebody with keys of the store could."""
    file = catalog.folder / "warehouses" / "wh" / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**like["metadata"], **changes}))
    return file.as_uri()


# Each is somebody else's folder.
ELSEWHERE = [
    "{root}/b/accounts",
    "{root}/b/accounts/",
    "{root}/b/accounts/metadata",
    "{root}/b/accounts//data",
    "{root}//b/accounts",
    "{root}/b//accounts",
    "{root}/b",
    "{root}/b/new",
    "{root}/c/accounts",
    "{root}/ab/accounts",
    "{root}/A/accounts",
    "{root}/%61/accounts",
    "{spelled}/b/accounts",
]
# These are no names of folders of the warehouse at all.
NOWHERE = [
    "{root}/a/../b/accounts",
    "{root}/a/%2e%2e/b/accounts",
    "{root}/a/..%2Fb/accounts",
    "{root}/a/./accounts",
    # Out of the folder of the table or view itself.
    "{root}/a/evil/../../b/accounts",
    "{root}/a/evil/%2e%2e/%2E%2e/b/accounts",
    "{root}/a/evil/x/..%2F..%2fb",
    "{root}/a/v/../../b/accounts",
    "{root}",
    "{root}/",
    "{root}x/a/accounts",
    "FILE://{path}/a/accounts",
    "s3://wh/a/accounts",
    "s3a://wh/a/accounts",
    "{root}/a/a\nb",
    "{root}/a/" + "x" * 900,
]
TRICKS = [*((one, 403) for one in ELSEWHERE), *((one, 400) for one in NOWHERE)]


def filled(catalog: KeyedCatalog, place: str) -> str:
    path = urlsplit(catalog.root).path
    return place.format(root=catalog.root, path=path, spelled=f"file:{path}")


@pytest.mark.parametrize(("place", "status"), TRICKS)
def test_no_table_is_made_in_a_folder_of_others(
    catalog: KeyedCatalog, mine: Space, accounts: Json, place: str, status: int
) -> None:
    before = catalog.files(".")
    where = filled(catalog, place)
    expect_error(create(mine, "evil", location=where), status)
    expect_error(create(mine, "evil", **{"location": where, "stage-create": True}), status)
    for name in FOLDERS:
        expect_error(create(mine, "evil", properties={name: where}), status)
    assert catalog.files(".") == before
    assert accounts["metadata-location"]


@pytest.mark.parametrize(("place", "status"), TRICKS)
def test_no_table_moves_into_a_folder_of_others(
    catalog: KeyedCatalog, mine: Space, accounts: Json, place: str, status: int
) -> None:
    mine.create("evil")
    before, where = catalog.files("."), filled(catalog, place)
    for update in (set_location(where), *(set_property(name, where) for name in FOLDERS)):
        expect_error(mine.commit(update, name="evil"), status)
    change = {"identifier": mine.named("evil"), "updates": [set_location(where)]}
    body = {"table-changes": [change]}
    many = mine.client.post(f"{mine.rest.root}/transactions/commit", json=body)
    expect_error(many, status)
    assert catalog.files(".") == before
    assert accounts["metadata-location"]


def test_the_first_commit_of_a_staged_table_is_looked_at_too(mine: Space, accounts: Json) -> None:
    staged = create(mine, "evil", **{"stage-create": True}).raise_for_status().json()
    metadata = staged["metadata"]
    updates = [
        {"action": "add-schema", "schema": metadata["schemas"][0]},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": metadata["partition-specs"][0]},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": metadata["sort-orders"][0]},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        set_location(accounts["metadata"]["location"]),
    ]
    answer = mine.commit(*updates, name="evil", requirements=({"type": "assert-create"},))
    expect_error(answer, 403, "ForbiddenException")


@pytest.mark.parametrize(("place", "status"), TRICKS)
def test_no_view_is_put_into_a_folder_of_others(
    catalog: KeyedCatalog, mine: Space, accounts: Json, place: str, status: int
) -> None:
    where, views = filled(catalog, place), f"{mine.path}/views"
    request = mine.view_request("v")
    expect_error(mine.client.post(views, json={**request, "location": where}), status)
    named = {**request, "properties": {"write.metadata.path": where}}
    expect_error(mine.client.post(views, json=named), status)
    mine.client.post(views, json=request).raise_for_status()
    for update in (set_location(where), set_property("write.metadata.path", where)):
        body = {"requirements": [], "updates": [update]}
        expect_error(mine.client.post(f"{views}/v", json=body), status)
    assert accounts["metadata-location"]


def test_a_purge_deletes_nothing_in_the_folder_of_another(
    catalog: KeyedCatalog, mine: Space, accounts: Json
) -> None:
    mine.create("evil")
    mine.commit(append(1), statistics(accounts["metadata-location"]), name="evil")
    purge(mine, "evil")
    assert catalog.space("bob", "b").load("accounts") == accounts


def test_a_table_that_was_put_there_before_is_not_purged(
    catalog: KeyedCatalog, mine: Space, accounts: Json
) -> None:
    there = accounts["metadata"]["location"]
    create(catalog.space("root", "a"), "evil", location=there).raise_for_status()
    mine.commit(append(1), statistics(accounts["metadata-location"]), name="evil")
    expect_error(drop(mine, "evil"), 403, "ForbiddenException")
    assert mine.load("evil")
    purge(catalog.space("both", "a"), "evil")
    assert catalog.space("bob", "b").load("accounts") == accounts


@pytest.mark.parametrize("where", ["{there}", "{there}/below", "{root}/b"])
def test_not_even_an_administrator_s_purge_deletes_what_is_another_s(
    catalog: KeyedCatalog, accounts: Json, where: str
) -> None:
    space = catalog.space("root", "b")
    place = where.format(there=accounts["metadata"]["location"], root=catalog.root)
    create(space, "evil", location=place).raise_for_status()
    space.commit(append(1), statistics(accounts["metadata-location"]), name="evil")
    purge(space, "evil")
    assert space.load("accounts") == accounts


def test_a_purge_leaves_a_table_that_was_made_below_meanwhile(
    catalog: KeyedCatalog, accounts: Json
) -> None:
    space = catalog.space("bob", "b")
    below = f"{accounts['metadata']['location']}/below"
    made = create(space, "below", location=below).raise_for_status().json()
    space.commit(append(1), statistics(made["metadata-location"]), name="accounts")
    purge(space, "accounts")
    assert space.load("below") == made
    assert [one for one in catalog.files("b/accounts") if not one.startswith("below/")] == []


def test_what_may_not_be_read_is_not_registered(catalog: KeyedCatalog, mine: Space) -> None:
    secret = catalog.space("carol", "c").create("secret")
    for name in (secret["metadata-location"], f"{catalog.root}/c/not-there.metadata.json"):
        error = expect_error(register(mine, name), 403, "ForbiddenException")
        assert "has no right to read" in error["message"]
    views = mine.client.post(
        f"{mine.path}/register-view",
        json={"name": "v", "metadata-location": secret["metadata-location"]},
    )
    expect_error(views, 403, "ForbiddenException")


def test_what_may_only_be_read_is_not_taken_by_registering_it(mine: Space, accounts: Json) -> None:
    error = expect_error(register(mine, accounts["metadata-location"]), 403)
    assert "has no right to write" in error["message"]


def test_a_file_of_one_s_own_cannot_name_folders_of_others(
    catalog: KeyedCatalog, mine: Space, accounts: Json
) -> None:
    there = accounts["metadata"]["location"]
    own = mine.create("own")
    forged = put_metadata(catalog, "a/own/metadata/9.metadata.json", own, location=there)
    expect_error(register(mine, forged), 403)
    paths = {"properties": {"write.metadata.path": f"{there}/metadata"}}
    forged = put_metadata(catalog, "a/own/metadata/8.metadata.json", own, **paths)
    expect_error(register(mine, forged, "own", overwrite=True), 403)
    assert mine.load("own") == own


def test_metadata_that_are_changed_in_their_file_win_no_folder(
    catalog: KeyedCatalog, mine: Space, accounts: Json
) -> None:
    # Who has keys of the store for a table can write over its metadata file.
    own = mine.create("own")
    forged = put_metadata(catalog, "a/own/metadata/9.metadata.json", own)
    register(mine, forged, "forged").raise_for_status()
    mine.client.delete(mine.table("own")).raise_for_status()
    mine.client.delete(mine.table("forged")).raise_for_status()
    register(mine, forged, "forged").raise_for_status()
    commits = [mine.commit(set_property("a", str(n)), name="forged") for n in range(2)]
    latest = commits[-1].raise_for_status().json()
    place = urlsplit(latest["metadata-location"]).path
    there = accounts["metadata"]["location"]
    Path(place).write_text(json.dumps({**latest["metadata"], "location": there}))
    with keyed_catalog(catalog.folder, KEYS) as another:
        space = another.space("mallory", "a")
        expect_error(space.commit(set_property("a", "x"), name="forged"), 403)
        expect_error(drop(space, "forged"), 403)


def test_a_namespace_is_not_put_into_the_folder_of_another(
    catalog: KeyedCatalog, mine: Space
) -> None:
    for place in ("b", "b/x", "", "ab"):
        where = {"location": f"{catalog.root}/{place}"}
        body = {"updates": where}
        expect_error(mine.client.post(f"{mine.path}/properties", json=body), 403)
    own = {"updates": {"location": f"{catalog.root}/a/deeper/"}}
    mine.client.post(f"{mine.path}/properties", json=own).raise_for_status()
    assert mine.create("t")["metadata"]["location"] == f"{catalog.root}/a/deeper/t"


def test_a_namespace_named_like_a_table_gives_no_way_into_its_folder(
    catalog: KeyedCatalog, accounts: Json
) -> None:
    rest = catalog.rest("nested")
    made = rest.client.post(f"{rest.root}/namespaces", json={"namespace": ["b", "accounts"]})
    made.raise_for_status()
    tables = f"{rest.at('b', 'accounts')}/tables"
    body = {"name": "data", "schema": SCHEMA}
    expect_error(rest.client.post(tables, json=body), 403)
    register_body = {"name": "copy", "metadata-location": accounts["metadata-location"]}
    expect_error(rest.client.post(f"{rest.at('b', 'accounts')}/register", json=register_body), 403)


def test_two_slashes_are_no_level_of_a_namespace(catalog: KeyedCatalog) -> None:
    catalog.space("bob", "b")
    rest = catalog.rest("below")
    spaces = f"{rest.root}/namespaces"
    rest.client.post(spaces, json={"namespace": ["b", "x"]}).raise_for_status()
    body = {"name": "t", "schema": SCHEMA, "location": f"{catalog.root}/b//t"}
    expect_error(rest.client.post(f"{rest.at('b', 'x')}/tables", json=body), 403)


def test_folders_above_and_below_are_found_in_every_database(on_postgresql: KeyedCatalog) -> None:
    root, bob = on_postgresql.root, on_postgresql.space("bob", "b")
    for number, name in enumerate(["x-y", "x.y", "x y", "X", "x0", "é", "x_"]):
        # The rules of languages put these elsewhere than bytes do.
        create(bob, f"n{number}", location=f"{root}/b/{name}/t").raise_for_status()
    dora = on_postgresql.space("dora", "d")
    create(dora, "t", location=f"{root}/b/x").raise_for_status()
    for place in ("b/x", "b/x/t", "b/x/t/u", "b/"):
        expect_error(create(bob, "evil", location=f"{root}/{place}"), 403)
    create(bob, "good", location=f"{root}/b/x-/t").raise_for_status()


def test_folders_of_one_s_own_may_be_named_freely(catalog: KeyedCatalog) -> None:
    space = catalog.space("both", "a")
    place = f"{catalog.root}/b/elsewhere"
    made = create(space, "t", location=place, properties={"write.data.path": f"{place}/d"})
    assert made.raise_for_status().json()["metadata"]["location"] == place
    space.commit(set_location(f"{catalog.root}/a/t2")).raise_for_status()
    space.commit(set_property("write.metadata.path", f"{place}/m")).raise_for_status()
    assert catalog.files("b/elsewhere/m")
    purge(space, "t")
    assert catalog.files("b/elsewhere/m") == []


def test_a_renamed_table_keeps_its_folder_and_its_owners_go_on(
    catalog: KeyedCatalog, accounts: Json
) -> None:
    there = accounts["metadata"]["location"]
    mine, bob, both = (
        catalog.space(key, at) for key, at in (("mallory", "a"), ("bob", "b"), ("both", "b"))
    )
    rename(both, "accounts", mine.named("moved")).raise_for_status()
    answer = mine.commit(set_property("a", "1"), name="moved").raise_for_status().json()
    assert answer["metadata-location"].startswith(there)
    mine.commit(set_property("write.data.path", f"{there}/d"), name="moved").raise_for_status()
    # The name is free again, and the folder is not.
    again = bob.create("accounts")["metadata"]["location"]
    assert again.startswith(f"{there}-")
    expect_error(create(bob, "other", location=there), 403)
    expect_error(drop(mine, "moved"), 403)
    mine.client.delete(mine.table("moved")).raise_for_status()
    create(bob, "other", location=there).raise_for_status()


def test_a_table_that_moved_leaves_its_old_folder_to_nobody(catalog: KeyedCatalog) -> None:
    both, bob = catalog.space("both", "a"), catalog.space("bob", "b")
    old = f"{catalog.root}/b/old"
    create(both, "t", location=old).raise_for_status()
    both.commit(set_location(f"{catalog.root}/a/new")).raise_for_status()
    expect_error(create(bob, "t", location=old), 403)


@pytest.mark.parametrize("database", ["catalog", "on_postgresql"])
def test_of_two_that_take_a_folder_at_once_one_has_it(
    request: pytest.FixtureRequest, database: str
) -> None:
    catalog: KeyedCatalog = request.getfixturevalue(database)
    catalog.space("bob", "b")
    owners = [catalog.space("dora", "d"), catalog.space("emil", "e")]
    for number in range(20):
        name, place = f"t{number}", f"{catalog.root}/b/contended-{number}"
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(partial(create, name=name, location=place), owners))
        assert sorted(one.status_code for one in answers) == [200, 403]
        assert len(catalog.files(f"b/contended-{number}")) == 1


def test_an_answer_is_remembered_for_who_got_it(catalog: KeyedCatalog, mine: Space) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    body = mine.request("t", location=f"{catalog.root}/b/t")
    tables = f"{mine.path}/tables"
    both = catalog.rest("both")
    both.client.post(tables, json=body, headers=key).raise_for_status()
    expect_error(mine.client.post(tables, json=body, headers=key), 422)
    both.client.post(tables, json=body, headers=key).raise_for_status()


@pytest.mark.parametrize(
    "content",
    [
        "as it was",
        "gone",
        "[]",
        "{",
        '{"location": 7}',
        '{"location": "s3://elsewhere/t"}',
        '{"location": "%s"}' % ("x" * 5000),
        '{"location": null, "properties": []}',
    ],
)
def test_folders_of_tables_of_an_older_version_are_known_after_a_start(
    catalog: KeyedCatalog, tmp_path: Path, content: str
) -> None:
    space = catalog.space("carol", "c")
    made = create(space, "t").raise_for_status().json()
    both = catalog.space("both", "b")
    rename_by = catalog.space("root", "c")
    rename(rename_by, "t", both.named("t")).raise_for_status()
    forget_folders(tmp_path)
    file = Path(urlsplit(made["metadata-location"]).path)
    if content == "gone":
        file.unlink()
    elif content != "as it was":
        file.write_text(content)
    with keyed_catalog(tmp_path, KEYS) as again:
        there = made["metadata"]["location"]
        expect_error(create(again.space("carol", "c"), "u", location=there), 403)


def forget_folders(folder: Path) -> None:
    engine = create_engine(f"sqlite:///{folder / 'catalog.db'}")
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM frazil_folders"))
    engine.dispose()


def test_properties_that_name_classes_and_addresses_change_nothing_here(
    catalog: KeyedCatalog, mine: Space, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    properties = {
        "py-io-impl": "subprocess.Popen",
        "io-impl": "subprocess.Popen",
        "write.py-location-provider.impl": "subprocess.Popen",
        "write.location-provider.impl": "subprocess.Popen",
        "args": f"touch {trap}",
        "s3.endpoint": "http://127.0.0.1:9/",
        "s3.signer.uri": "http://127.0.0.1:9/",
        "uri": "http://127.0.0.1:9/",
    }
    create(mine, "t", properties=properties).raise_for_status()
    mine.commit(append(1)).raise_for_status()
    assert mine.load("t")["config"] == {}
    purge(mine, "t")
    assert catalog.files("a/t") == []
    assert not trap.exists()
