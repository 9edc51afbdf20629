"""Commits to a table: every requirement, every update."""

from typing import Any

import pytest
from tests.support.iceberg_rest import (
    WIDER,
    Space,
    append,
    expect_error,
    point,
    set_property,
)

Json = dict[str, Any]


def test_a_commit_answers_with_the_metadata_that_are_loaded_then(space: Space) -> None:
    old = space.create()
    answer = space.commit(set_property("a", "1")).json()
    loaded = space.load()
    assert answer["metadata-location"] == loaded["metadata-location"] != old["metadata-location"]
    assert loaded["metadata"]["properties"]["a"] == "1"
    log = [one["metadata-file"] for one in loaded["metadata"]["metadata-log"]]
    assert log == [old["metadata-location"]]


def test_a_commit_that_changes_nothing_makes_no_version(space: Space) -> None:
    before = space.create()["metadata-location"]
    same = {"action": "set-current-schema", "schema-id": 0}
    assert space.commit().json()["metadata-location"] == before
    assert space.commit(same).json()["metadata-location"] == before


def test_requirements_that_hold_let_a_commit_pass(space: Space) -> None:
    metadata = space.create()["metadata"]
    requirements = (
        {"type": "assert-table-uuid", "uuid": metadata["table-uuid"]},
        {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 2},
        {"type": "assert-current-schema-id", "current-schema-id": 0},
        {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 999},
        {"type": "assert-default-spec-id", "default-spec-id": 0},
        {"type": "assert-default-sort-order-id", "default-sort-order-id": 0},
    )
    answer = space.commit(set_property("a", "1"), requirements=requirements)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "requirement",
    [
        {"type": "assert-create"},
        {"type": "assert-table-uuid", "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
        {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 7},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 9},
        {"type": "assert-current-schema-id", "current-schema-id": 9},
        {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 9},
        {"type": "assert-default-spec-id", "default-spec-id": 9},
        {"type": "assert-default-sort-order-id", "default-sort-order-id": 9},
    ],
    ids=lambda one: one["type"],
)
def test_a_requirement_that_does_not_hold_changes_nothing(space: Space, requirement: Json) -> None:
    before = space.create()
    answer = space.commit(set_property("a", "1"), requirements=(requirement,))
    expect_error(answer, 409, "CommitFailedException")
    assert space.load()["metadata-location"] == before["metadata-location"]


def test_of_two_appends_to_one_state_the_second_is_refused(space: Space) -> None:
    space.create()
    nothing_yet = ({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},)
    first = space.commit(append(1), point("main", 1), requirements=nothing_yet)
    assert first.status_code == 200
    second = space.commit(append(2), point("main", 2), requirements=nothing_yet)
    expect_error(second, 409, "CommitFailedException")
    assert space.load()["metadata"]["current-snapshot-id"] == 1


def test_unknown_requirements_and_updates_are_bad_requests(space: Space) -> None:
    space.create()
    expect_error(space.commit({"action": "dance"}), 400)
    answer = space.commit(set_property("a", "1"), requirements=({"type": "assert-luck"},))
    expect_error(answer, 400)
    of_views = {"type": "assert-view-uuid", "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"}
    expect_error(space.commit(requirements=(of_views,)), 400)
    expect_error(space.commit({"action": "dance"}, requirements=({"type": "assert-create"},)), 400)


@pytest.mark.parametrize(
    "update",
    [
        {"action": "set-current-schema", "schema-id": 9},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "set-default-spec", "spec-id": 9},
        {"action": "set-default-sort-order", "sort-order-id": 9},
        {"action": "set-snapshot-ref", "ref-name": "b", "type": "branch", "snapshot-id": 9},
        {"action": "assign-uuid", "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
        {"action": "upgrade-format-version", "format-version": 1},
        {"action": "upgrade-format-version", "format-version": 9},
        {"action": "add-snapshot"},
    ],
    ids=str,
)
def test_what_cannot_be_is_a_bad_request(space: Space, update: Json) -> None:
    before = space.create()
    expect_error(space.commit(update), 400)
    assert space.load()["metadata-location"] == before["metadata-location"]


def test_schemas_are_added_and_become_current(space: Space) -> None:
    space.create()
    answer = space.commit(
        {"action": "add-schema", "schema": WIDER, "last-column-id": 3},
        {"action": "set-current-schema", "schema-id": -1},
    )
    metadata = answer.json()["metadata"]
    assert metadata["current-schema-id"] == 1
    assert metadata["last-column-id"] == 3
    assert [one["schema-id"] for one in metadata["schemas"]] == [0, 1]


def test_schemas_and_specs_that_are_not_in_use_are_removed(space: Space) -> None:
    space.create()
    space.commit(
        {"action": "add-schema", "schema": WIDER, "last-column-id": 3},
        {"action": "set-current-schema", "schema-id": -1},
    ).raise_for_status()
    expect_error(space.commit({"action": "remove-schemas", "schema-ids": [1]}), 400)
    answer = space.commit({"action": "remove-schemas", "schema-ids": [0]}).raise_for_status()
    assert [one["schema-id"] for one in answer.json()["metadata"]["schemas"]] == [1]


def test_partition_specs_evolve(space: Space) -> None:
    space.create()
    field = {"source-id": 1, "name": "id_bucket", "transform": "bucket[4]", "field-id": 1000}
    added = space.commit(
        {"action": "add-spec", "spec": {"spec-id": 1, "fields": [field]}},
        {"action": "set-default-spec", "spec-id": -1},
    ).json()["metadata"]
    assert added["default-spec-id"] == 1
    assert added["last-partition-id"] == 1000
    expect_error(space.commit({"action": "remove-partition-specs", "spec-ids": [1]}), 400)
    gone = space.commit({"action": "remove-partition-specs", "spec-ids": [0]}).json()["metadata"]
    assert [one["spec-id"] for one in gone["partition-specs"]] == [1]


def test_a_spec_on_a_column_that_is_not_there_is_a_bad_request(space: Space) -> None:
    space.create()
    field = {"source-id": 77, "name": "x", "transform": "identity", "field-id": 1000}
    answer = space.commit(
        {"action": "add-spec", "spec": {"spec-id": 1, "fields": [field]}},
        {"action": "set-default-spec", "spec-id": -1},
    )
    expect_error(answer, 400)


def test_sort_orders_evolve(space: Space) -> None:
    space.create()
    field = {"source-id": 1, "transform": "identity"}
    order = {"order-id": 1, "fields": [{**field, "direction": "asc", "null-order": "nulls-last"}]}
    metadata = space.commit(
        {"action": "add-sort-order", "sort-order": order},
        {"action": "set-default-sort-order", "sort-order-id": -1},
    ).json()["metadata"]
    assert metadata["default-sort-order-id"] == 1


def test_branches_and_tags_are_set_moved_and_removed(space: Space) -> None:
    space.create()
    space.commit(append(1), point("main", 1)).raise_for_status()
    space.commit(point("b", 1), point("v1", 1, "tag")).raise_for_status()
    space.commit(append(2, parent=1, sequence=2), point("b", 2)).raise_for_status()
    metadata = space.load()["metadata"]
    assert {name: ref["snapshot-id"] for name, ref in metadata["refs"].items()} == {
        "main": 1,
        "b": 2,
        "v1": 1,
    }
    assert metadata["current-snapshot-id"] == 1
    gone = space.commit({"action": "remove-snapshot-ref", "ref-name": "b"}).json()["metadata"]
    assert set(gone["refs"]) == {"main", "v1"}


def test_the_log_of_snapshots_is_that_of_main(space: Space) -> None:
    space.create()
    space.commit(append(1), point("main", 1)).raise_for_status()
    space.commit(append(2, parent=1, sequence=2), point("main", 2)).raise_for_status()
    space.commit(point("main", 1)).raise_for_status()
    metadata = space.load()["metadata"]
    assert [one["snapshot-id"] for one in metadata["snapshot-log"]] == [1, 2, 1]
    assert metadata["current-snapshot-id"] == 1
    assert metadata["last-sequence-number"] == 2


def test_removed_snapshots_take_refs_and_older_history_with_them(space: Space) -> None:
    space.create()
    space.commit(append(1), point("main", 1), point("old", 1, "tag")).raise_for_status()
    space.commit(append(2, parent=1, sequence=2), point("main", 2)).raise_for_status()
    gone = space.commit({"action": "remove-snapshots", "snapshot-ids": [1]}).json()["metadata"]
    assert [one["snapshot-id"] for one in gone["snapshots"]] == [2]
    assert set(gone["refs"]) == {"main"}
    assert [one["snapshot-id"] for one in gone["snapshot-log"]] == [2]


def test_a_snapshot_behind_the_last_sequence_number_is_refused(space: Space) -> None:
    space.create()
    space.commit(append(1), point("main", 1)).raise_for_status()
    answer = space.commit(append(2, parent=1, sequence=1), point("main", 2))
    assert answer.status_code in (400, 409)
    assert space.load()["metadata"]["current-snapshot-id"] == 1


def test_a_snapshot_is_not_added_twice(space: Space) -> None:
    space.create()
    space.commit(append(1), point("main", 1)).raise_for_status()
    expect_error(space.commit(append(1, sequence=2)), 400)


def test_statistics_are_kept_by_snapshot(space: Space) -> None:
    space.create()
    space.commit(append(1), point("main", 1)).raise_for_status()
    statistics = {
        "snapshot-id": 1,
        "statistics-path": "file:///nowhere/s.puffin",
        "file-size-in-bytes": 1,
        "file-footer-size-in-bytes": 1,
        "blob-metadata": [],
    }
    update = {"action": "set-statistics", "snapshot-id": 1, "statistics": statistics}
    assert len(space.commit(update).json()["metadata"]["statistics"]) == 1
    assert len(space.commit(update).json()["metadata"]["statistics"]) == 1
    gone = space.commit({"action": "remove-statistics", "snapshot-id": 1}).json()["metadata"]
    assert not gone.get("statistics")


def test_statistics_of_partitions_are_kept_by_snapshot(space: Space) -> None:
    space.create()
    space.commit(append(1), point("main", 1)).raise_for_status()
    path = "file:///nowhere/p.parquet"
    file = {"snapshot-id": 1, "statistics-path": path, "file-size-in-bytes": 1}
    update = {"action": "set-partition-statistics", "partition-statistics": file}
    assert space.commit(update).json()["metadata"]["partition-statistics"] == [file]
    removal = {"action": "remove-partition-statistics", "snapshot-id": 1}
    gone = space.commit(removal).json()["metadata"]
    assert not gone.get("partition-statistics")


def test_keys_of_encryption_are_kept(space: Space) -> None:
    space.create(properties={"format-version": "3"})
    key = {"key-id": "k", "encrypted-key-metadata": "aGVsbG8="}
    added = space.commit({"action": "add-encryption-key", "encryption-key": key})
    assert added.json()["metadata"]["encryption-keys"] == [key]
    gone = space.commit({"action": "remove-encryption-key", "key-id": "k"})
    assert not gone.json()["metadata"].get("encryption-keys")


def test_properties_and_location_are_set(space: Space) -> None:
    location = space.create(properties={"a": "1", "b": "2"})["metadata"]["location"]
    metadata = space.commit(
        {"action": "remove-properties", "removals": ["a", "never-there"]},
        set_property("c", "3"),
        {"action": "set-location", "location": f"{location}-moved"},
    ).json()["metadata"]
    assert metadata["properties"]["b"] == "2"
    assert metadata["properties"]["c"] == "3"
    assert "a" not in metadata["properties"]
    assert metadata["location"] == f"{location}-moved"


def test_a_table_becomes_one_of_version_3_and_counts_its_rows(space: Space) -> None:
    space.create()
    space.commit({"action": "upgrade-format-version", "format-version": 3}).raise_for_status()
    update = append(1)
    update["snapshot"] |= {"first-row-id": 0, "added-rows": 10}
    metadata = space.commit(update, point("main", 1)).json()["metadata"]
    assert metadata["format-version"] == 3
    assert metadata["next-row-id"] == 10


def test_the_path_and_the_body_name_one_table(space: Space) -> None:
    space.create()
    space.create("other")
    body = {"identifier": space.named("other"), "requirements": [], "updates": []}
    expect_error(space.client.post(space.table(), json=body), 400)
