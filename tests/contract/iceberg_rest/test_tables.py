"""Tables: from making to dropping."""

import time

import pytest
from tests.support.iceberg_rest import (
    SCHEMA,
    Rest,
    Space,
    append,
    expect_error,
    point,
    set_property,
)


def test_a_created_table_is_loaded_as_it_was_answered(space: Space) -> None:
    made = space.create(properties={"a": "1"})
    assert made["metadata"]["properties"]["a"] == "1"
    assert made["metadata"]["format-version"] == 2
    loaded = space.load()
    assert loaded["metadata-location"] == made["metadata-location"]
    assert loaded["metadata"]["table-uuid"] == made["metadata"]["table-uuid"]
    assert [field["name"] for field in loaded["metadata"]["schemas"][0]["fields"]] == ["id", "word"]


def test_field_ids_partitions_and_order_are_given_anew(space: Space) -> None:
    odd = {
        "type": "struct",
        "fields": [
            {"id": 7, "name": "day", "required": False, "type": "date"},
            {
                "id": 9,
                "name": "tags",
                "required": False,
                "type": {
                    "type": "list",
                    "element-id": 12,
                    "element": "string",
                    "element-required": False,
                },
            },
        ],
    }
    field = {"source-id": 7, "name": "day_p", "transform": "identity"}
    order = {"transform": "identity", "source-id": 7, "direction": "asc"}
    body = {
        "name": "t",
        "schema": odd,
        "partition-spec": {"spec-id": 0, "fields": [{**field, "field-id": 1000}]},
        "write-order": {"order-id": 1, "fields": [{**order, "null-order": "nulls-first"}]},
    }
    answer = space.client.post(f"{space.path}/tables", json=body).raise_for_status()
    metadata = answer.json()["metadata"]
    assert [one["id"] for one in metadata["schemas"][0]["fields"]] == [1, 2]
    assert metadata["last-column-id"] == 3
    assert metadata["partition-specs"][0]["fields"][0]["source-id"] == 1
    assert metadata["last-partition-id"] == 1000
    assert metadata["default-sort-order-id"] == 1


@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_a_table_is_made_in_the_format_that_is_asked_for(space: Space, version: str) -> None:
    made = space.create(properties={"format-version": version})
    assert made["metadata"]["format-version"] == int(version)
    assert space.commit(set_property("b", "2")).status_code == 200
    assert space.load()["metadata"]["format-version"] == int(version)


def test_a_table_that_is_there_is_not_made_again(space: Space) -> None:
    space.create()
    again = space.client.post(f"{space.path}/tables", json=space.request())
    expect_error(again, 409, "AlreadyExistsException")


def test_a_table_needs_its_namespace(rest: Rest) -> None:
    answer = rest.client.post(f"{rest.at('nope')}/tables", json={"name": "t", "schema": SCHEMA})
    expect_error(answer, 404, "NoSuchNamespaceException")


def test_a_table_that_is_not_there_is_404_everywhere(space: Space) -> None:
    expect_error(space.client.get(space.table()), 404, "NoSuchTableException")
    assert space.client.head(space.table()).status_code == 404
    expect_error(space.client.delete(space.table()), 404, "NoSuchTableException")
    expect_error(space.commit(set_property("a", "1")), 404, "NoSuchTableException")


def test_lists_have_pages(space: Space) -> None:
    for name in ("a", "b", "c"):
        space.create(name)
    listed = space.client.get(f"{space.path}/tables").json()["identifiers"]
    assert sorted(one["name"] for one in listed) == ["a", "b", "c"]
    first = space.client.get(f"{space.path}/tables", params={"pageSize": "2", "pageToken": ""})
    assert [one["name"] for one in first.json()["identifiers"]] == ["a", "b"]
    token = first.json()["next-page-token"]
    rest = space.client.get(f"{space.path}/tables", params={"pageSize": "2", "pageToken": token})
    assert [one["name"] for one in rest.json()["identifiers"]] == ["c"]
    assert rest.json().get("next-page-token") is None


def test_a_token_that_nobody_gave_is_a_bad_request(space: Space) -> None:
    query = {"pageSize": "2", "pageToken": "\u00fc!"}
    expect_error(space.client.get(f"{space.path}/tables", params=query), 400)


@pytest.mark.parametrize("name", ["with space", "gr\u00fcn", "a+b", "100%", "dot.ted"])
def test_odd_names_are_names(space: Space, name: str) -> None:
    space.create(name)
    assert space.client.head(space.table(name)).status_code == 204
    listed = space.client.get(f"{space.path}/tables").json()["identifiers"]
    assert [one["name"] for one in listed] == [name]


def test_a_staged_table_is_there_with_its_first_commit(space: Space) -> None:
    request = space.request() | {"stage-create": True}
    staged = space.client.post(f"{space.path}/tables", json=request).raise_for_status().json()
    assert staged.get("metadata-location") is None
    assert space.client.head(space.table()).status_code == 404
    metadata = staged["metadata"]
    updates = [
        {"action": "assign-uuid", "uuid": metadata["table-uuid"]},
        {"action": "upgrade-format-version", "format-version": 2},
        {"action": "add-schema", "schema": SCHEMA, "last-column-id": 2},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": {"spec-id": 0, "fields": []}},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": []}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": metadata["location"]},
        append(1),
        point("main", 1),
    ]
    first = space.commit(*updates, requirements=({"type": "assert-create"},))
    assert first.status_code == 200, first.text
    loaded = space.load()["metadata"]
    assert loaded["table-uuid"] == metadata["table-uuid"]
    assert loaded["current-snapshot-id"] == 1
    again = space.commit(*updates, requirements=({"type": "assert-create"},))
    expect_error(again, 409, "CommitFailedException", "AlreadyExistsException")


def test_a_client_that_has_the_newest_version_gets_no_other(space: Space) -> None:
    space.create()
    tag = space.client.get(space.table()).headers["etag"]
    unchanged = space.client.get(space.table(), headers={"If-None-Match": tag})
    assert unchanged.status_code == 304
    assert unchanged.content == b""
    space.commit(set_property("a", "1")).raise_for_status()
    changed = space.client.get(space.table(), headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


def test_create_and_commit_tell_the_tag_of_their_version(space: Space) -> None:
    made = space.client.post(f"{space.path}/tables", json=space.request())
    assert made.headers["etag"] == space.client.get(space.table()).headers["etag"]


def test_snapshots_that_nothing_names_are_left_out_on_demand(space: Space) -> None:
    space.create()
    space.commit(append(1), point("main", 1)).raise_for_status()
    space.commit(append(2, parent=1, sequence=2), point("main", 2)).raise_for_status()
    space.commit(append(3, parent=2, sequence=3), point("side", 3)).raise_for_status()
    everything = space.load(snapshots="all")["metadata"]["snapshots"]
    named = space.load(snapshots="refs")["metadata"]["snapshots"]
    assert sorted(one["snapshot-id"] for one in everything) == [1, 2, 3]
    assert sorted(one["snapshot-id"] for one in named) == [2, 3]


def test_a_word_for_snapshots_that_nobody_knows_is_a_bad_request(space: Space) -> None:
    space.create()
    expect_error(space.client.get(space.table(), params={"snapshots": "some"}), 400)


def test_a_renamed_table_has_one_name(rest: Rest, space: Space) -> None:
    made = space.create("old")
    space.create("taken")
    target = rest.namespace()

    def rename(source: str, destination: dict[str, object]) -> int:
        body = {"source": space.named(source), "destination": destination}
        return rest.client.post(f"{rest.root}/tables/rename", json=body).status_code

    assert rename("old", space.named("taken")) == 409
    assert rename("nope", space.named("new")) == 404
    assert rename("old", {"namespace": ["nope"], "name": "new"}) == 404
    assert rename("old", target.named("new")) == 204
    assert space.client.head(space.table("old")).status_code == 404
    assert target.load("new")["metadata-location"] == made["metadata-location"]


def test_a_dropped_table_is_registered_again(space: Space) -> None:
    made = space.create()
    assert space.client.delete(space.table(), params={"purgeRequested": "false"}).status_code == 204
    body = {"name": "back", "metadata-location": made["metadata-location"]}
    back = space.client.post(f"{space.path}/register", json=body)
    assert back.status_code == 200
    assert back.json()["metadata"]["table-uuid"] == made["metadata"]["table-uuid"]
    expect_error(
        space.client.post(f"{space.path}/register", json=body), 409, "AlreadyExistsException"
    )


def test_registering_overwrites_only_if_told_to(space: Space) -> None:
    old = space.create()
    space.commit(set_property("a", "1")).raise_for_status()
    body = {"name": "t", "metadata-location": old["metadata-location"]}
    expect_error(space.client.post(f"{space.path}/register", json=body), 409)
    back = space.client.post(f"{space.path}/register", json={**body, "overwrite": True})
    assert back.status_code == 200
    assert space.load()["metadata-location"] == old["metadata-location"]


def test_a_purged_table_is_gone(space: Space) -> None:
    made = space.create()
    gone = space.client.delete(space.table(), params={"purgeRequested": "true"})
    assert gone.status_code == 204
    body = {"name": "t", "metadata-location": made["metadata-location"]}
    for _ in range(100):
        # Files are deleted after the answer.
        answer = space.client.post(f"{space.path}/register", json=body)
        if answer.status_code != 200:
            break
        # It was registered before they were: they are its own again, and have to be purged again.
        space.client.delete(space.table(), params={"purgeRequested": "true"}).raise_for_status()
        time.sleep(0.01)
    expect_error(answer, answer.status_code)


def test_reports_of_metrics_are_taken(space: Space) -> None:
    space.create()
    report = {
        "report-type": "scan-report",
        "table-name": "t",
        "snapshot-id": 1,
        "filter": True,
        "schema-id": 0,
        "projected-field-ids": [1],
        "projected-field-names": ["id"],
        "metrics": {},
    }
    answer = space.client.post(f"{space.table()}/metrics", json=report)
    assert answer.status_code == 204, answer.text
