"""Views: from making to dropping."""

from typing import Any

import httpx
from tests.support.iceberg_rest import Rest, Space, expect_error

Json = dict[str, Any]


def create(space: Space, name: str = "v") -> Json:
    answer = space.client.post(f"{space.path}/views", json=space.view_request(name))
    made: Json = answer.raise_for_status().json()
    return made


def replace(space: Space, *requirements: Json, sql: str = "SELECT 2 AS id") -> httpx.Response:
    version = space.view_version(2, sql)
    body = {
        "identifier": space.named("v"),
        "requirements": list(requirements),
        "updates": [
            {"action": "add-view-version", "view-version": version},
            {"action": "set-current-view-version", "view-version-id": -1},
        ],
    }
    return space.client.post(f"{space.path}/views/v", json=body)


def test_a_created_view_is_loaded_and_listed(space: Space) -> None:
    made = create(space)
    assert made["metadata"]["current-version-id"] == 1
    assert made["metadata"]["properties"]["a"] == "1"
    loaded = space.client.get(f"{space.path}/views/v").json()
    assert loaded["metadata"]["view-uuid"] == made["metadata"]["view-uuid"]
    assert space.client.head(f"{space.path}/views/v").status_code == 204
    listed = space.client.get(f"{space.path}/views").json()["identifiers"]
    assert [one["name"] for one in listed] == ["v"]
    assert space.client.get(f"{space.path}/tables").json()["identifiers"] == []


def test_a_view_and_a_table_do_not_share_a_name(space: Space) -> None:
    space.create("v")
    answer = space.client.post(f"{space.path}/views", json=space.view_request("v"))
    expect_error(answer, 409, "AlreadyExistsException")
    create(space, "w")
    answer = space.client.post(f"{space.path}/tables", json=space.request("w"))
    expect_error(answer, 409, "AlreadyExistsException")
    expect_error(space.client.get(space.table("w")), 404, "NoSuchTableException")


def test_a_view_that_is_there_is_not_made_again(space: Space) -> None:
    create(space)
    answer = space.client.post(f"{space.path}/views", json=space.view_request())
    expect_error(answer, 409, "AlreadyExistsException")


def test_a_view_that_is_not_there_is_404_everywhere(space: Space) -> None:
    expect_error(space.client.get(f"{space.path}/views/v"), 404, "NoSuchViewException")
    assert space.client.head(f"{space.path}/views/v").status_code == 404
    expect_error(space.client.delete(f"{space.path}/views/v"), 404, "NoSuchViewException")
    expect_error(replace(space), 404, "NoSuchViewException")


def test_a_replaced_view_keeps_its_history(space: Space) -> None:
    made = create(space)["metadata"]
    answer = replace(space, {"type": "assert-view-uuid", "uuid": made["view-uuid"]})
    assert answer.status_code == 200, answer.text
    metadata = space.client.get(f"{space.path}/views/v").json()["metadata"]
    assert metadata["current-version-id"] == 2
    assert [one["version-id"] for one in metadata["versions"]] == [1, 2]
    assert [one["version-id"] for one in metadata["version-log"]] == [1, 2]


def test_a_view_of_another_uuid_is_not_replaced(space: Space) -> None:
    create(space)
    other = {"type": "assert-view-uuid", "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"}
    expect_error(replace(space, other), 409, "CommitFailedException")


def test_what_is_for_tables_is_a_bad_request(space: Space) -> None:
    create(space)
    expect_error(replace(space, {"type": "assert-create"}), 400)
    body = {"updates": [{"action": "add-snapshot"}]}
    expect_error(space.client.post(f"{space.path}/views/v", json=body), 400)


def test_a_renamed_view_has_one_name(rest: Rest, space: Space) -> None:
    create(space)
    space.create("taken")

    def rename(name: str, target: str) -> int:
        body = {"source": space.named(name), "destination": space.named(target)}
        return rest.client.post(f"{rest.root}/views/rename", json=body).status_code

    assert rename("v", "taken") == 409
    assert rename("nope", "w") == 404
    assert rename("v", "w") == 204
    assert space.client.head(f"{space.path}/views/v").status_code == 404
    assert space.client.head(f"{space.path}/views/w").status_code == 204


def test_metadata_of_a_view_are_registered(space: Space) -> None:
    made = create(space)
    body = {"name": "back", "metadata-location": made["metadata-location"]}
    path = f"{space.path}/register-view"
    back = space.client.post(path, json=body)
    assert back.status_code == 200, back.text
    assert back.json()["metadata"]["view-uuid"] == made["metadata"]["view-uuid"]
    loaded = space.client.get(f"{space.path}/views/back").json()
    assert loaded["metadata-location"] == made["metadata-location"]
    expect_error(space.client.post(path, json=body), 409, "AlreadyExistsException")


def test_only_what_describes_a_view_is_registered_as_one(space: Space) -> None:
    body = {"name": "w", "metadata-location": space.create()["metadata-location"]}
    expect_error(space.client.post(f"{space.path}/register-view", json=body), 400)
    body = {"name": "u", "metadata-location": create(space)["metadata-location"]}
    expect_error(space.client.post(f"{space.path}/register", json=body), 400)


def test_a_view_is_not_registered_where_a_table_is(space: Space) -> None:
    space.create("taken")
    body = {"name": "taken", "metadata-location": create(space)["metadata-location"]}
    answer = space.client.post(f"{space.path}/register-view", json=body)
    expect_error(answer, 409, "AlreadyExistsException")


def test_a_dropped_view_is_gone(space: Space) -> None:
    create(space)
    assert space.client.delete(f"{space.path}/views/v").status_code == 204
    assert space.client.head(f"{space.path}/views/v").status_code == 404
