"""Several tables in one commit: all of them, or none."""

from typing import Any

import httpx
from tests.support.iceberg_rest import Space, expect_error, set_property

Json = dict[str, Any]


def change(space: Space, name: str, *requirements: Json) -> Json:
    return {
        "identifier": space.named(name),
        "requirements": list(requirements),
        "updates": [set_property("a", "1")],
    }


def commit(space: Space, *changes: Json) -> httpx.Response:
    path = f"{space.rest.root}/transactions/commit"
    return space.client.post(path, json={"table-changes": list(changes)})


def test_all_tables_change_together(space: Space) -> None:
    for name in ("x", "y"):
        space.create(name)
    answer = commit(space, change(space, "x"), change(space, "y"))
    assert answer.status_code == 204, answer.text
    assert [space.load(name)["metadata"]["properties"]["a"] for name in "xy"] == ["1", "1"]


def test_none_changes_if_one_cannot(space: Space) -> None:
    before = {name: space.create(name)["metadata-location"] for name in ("x", "y")}
    wrong = {"type": "assert-current-schema-id", "current-schema-id": 9}
    answer = commit(space, change(space, "x"), change(space, "y", wrong))
    expect_error(answer, 409, "CommitFailedException")
    assert {name: space.load(name)["metadata-location"] for name in before} == before


def test_none_changes_if_one_is_not_there(space: Space) -> None:
    before = space.create("x")["metadata-location"]
    answer = commit(space, change(space, "x"), change(space, "nope"))
    expect_error(answer, 404, "NoSuchTableException")
    assert space.load("x")["metadata-location"] == before


def test_a_change_names_its_table(space: Space) -> None:
    nameless: Json = {"requirements": [], "updates": []}
    expect_error(commit(space, nameless), 400)
