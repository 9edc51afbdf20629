from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_rest import SCHEMA, WIDER, append, point, set_property

from frazil.table_catalog.core.errors import BadRequestError, CommitFailedError
from frazil.table_catalog.core.requirements import check_known
from frazil.table_catalog.core.snapshots import only_refs
from frazil.table_catalog.core.updates import ACTIONS, apply_updates, empty_table
from frazil.table_catalog.core.views import apply_view_updates, empty_view

Json = dict[str, Any]
NOW = 1_800_000_000_000


def table(*updates: Json) -> Json:
    first: list[Json] = [
        {"action": "assign-uuid", "uuid": "u"},
        {"action": "set-location", "location": "file:///t/"},
        {"action": "add-schema", "schema": SCHEMA},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": {"fields": []}},
        {"action": "set-default-spec", "spec-id": -1},
    ]
    return apply_updates(empty_table(NOW), [*first, *updates], location=None, now=NOW)


def then(base: Json, *updates: Json) -> Json:
    return apply_updates(base, updates, location="old.json", now=NOW + 1)


def test_the_base_stays_as_it_was() -> None:
    base = table(append(1), point("main", 1))
    copy = repr(base)
    then(base, set_property("a", "1"), append(2, parent=1, sequence=2), point("main", 2))
    then(base, {"action": "remove-snapshots", "snapshot-ids": [1]})
    assert repr(base) == copy


def test_what_is_so_already_is_no_change() -> None:
    base = table(set_property("a", "1"), append(1), point("main", 1))
    assert then(base, set_property("a", "1"), point("main", 1)) == base


def test_fields_that_nobody_here_knows_stay() -> None:
    base = {**table(), "some-future-field": {"x": [1]}}
    assert then(base, set_property("a", "1"))["some-future-field"] == {"x": [1]}


def test_a_location_ends_without_a_slash() -> None:
    assert table()["location"] == "file:///t"


def test_a_schema_that_is_there_is_found_again_under_its_number() -> None:
    base = then(table(), {"action": "add-schema", "schema": WIDER})
    again = then(
        base,
        {"action": "add-schema", "schema": {**WIDER, "schema-id": 0}},
        {"action": "set-current-schema", "schema-id": -1},
    )
    assert [one["schema-id"] for one in again["schemas"]] == [0, 1]
    assert again["current-schema-id"] == 1


def test_a_number_that_is_taken_is_not_given_twice() -> None:
    taken = {**WIDER, "schema-id": 0}
    assert [
        one["schema-id"]
        for one in then(table(), {"action": "add-schema", "schema": taken})["schemas"]
    ] == [0, 1]


def test_nested_fields_count_for_the_last_column() -> None:
    inner = {"type": "map", "key-id": 8, "key": "string", "value-id": 11, "value": "long"}
    field = {"id": 5, "name": "m", "required": False, "type": inner}
    nested = {"type": "struct", "schema-id": 1, "fields": [*SCHEMA["fields"], field]}
    assert then(table(), {"action": "add-schema", "schema": nested})["last-column-id"] == 11


def test_partition_fields_without_a_number_get_that_of_an_equal_one() -> None:
    def spec(*names: str) -> Json:
        fields = [{"source-id": 1, "name": name, "transform": name} for name in names]
        return {"action": "add-spec", "spec": {"fields": fields}}

    one = then(table(), spec("identity"))
    two = then(one, spec("bucket[2]", "identity"))
    numbers = [[field["field-id"] for field in one["fields"]] for one in two["partition-specs"]]
    assert numbers == [[], [1000], [1001, 1000]]
    assert two["last-partition-id"] == 1001


def test_a_sort_order_with_fields_is_never_number_0() -> None:
    field = {"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "x"}
    update = {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": [field]}}
    assert then(table(), update)["sort-orders"][0]["order-id"] == 1


def test_the_log_of_metadata_is_as_long_as_the_table_wants() -> None:
    base = table(set_property("write.metadata.previous-versions-max", "2"))
    for number in range(4):
        base = then(base, set_property("a", str(number)))
    assert len(base["metadata-log"]) == 2


def test_a_snapshot_behind_is_a_conflict() -> None:
    base = table(append(1, sequence=5), point("main", 1))
    with pytest.raises(CommitFailedError, match="sequence number 5 older"):
        then(base, append(2, parent=1, sequence=5))


def test_rows_of_version_3_follow_each_other() -> None:
    base = then(table(), {"action": "upgrade-format-version", "format-version": 3})
    first = append(1)
    first["snapshot"] |= {"first-row-id": 0, "added-rows": 7}
    base = then(base, first)
    assert base["next-row-id"] == 7
    late = append(2, parent=1, sequence=2)
    late["snapshot"] |= {"first-row-id": 3, "added-rows": 1}
    with pytest.raises(CommitFailedError, match="behind"):
        then(base, late)


def test_readers_of_version_1_find_their_schema() -> None:
    base = {**table(), "format-version": 1}
    wide = then(
        base,
        {"action": "add-schema", "schema": WIDER},
        {"action": "set-current-schema", "schema-id": -1},
    )
    assert wide["schema"]["schema-id"] == 1
    assert wide["partition-spec"] == []


def test_without_main_there_is_no_current_snapshot() -> None:
    base = table(append(1), point("main", 1))
    gone = then(base, {"action": "remove-snapshot-ref", "ref-name": "main"})
    assert "current-snapshot-id" not in gone
    assert gone["snapshot-log"] == []


def test_main_is_no_tag() -> None:
    with pytest.raises(BadRequestError):
        table(append(1), point("main", 1, "tag"))


def test_only_refs_keeps_what_is_named() -> None:
    base = table(append(1), append(2, sequence=2), append(3, sequence=3), point("main", 3))
    base = then(base, point("v", 1, "tag"))
    assert [one["snapshot-id"] for one in only_refs(base)["snapshots"]] == [1, 3]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 9)), max_size=20))
def test_properties_end_as_a_dictionary_would(steps: list[tuple[str, bool, int]]) -> None:
    expected: dict[str, str] = {}
    updates: list[Json] = []
    for name, keep, value in steps:
        if keep:
            expected[name] = str(value)
            updates.append(set_property(name, str(value)))
        else:
            expected.pop(name, None)
            updates.append({"action": "remove-properties", "removals": [name]})
    assert table(*updates)["properties"] == expected


@given(st.lists(st.sampled_from([1, 2, 3, 4]), max_size=12), st.sets(st.sampled_from([1, 2, 3, 4])))
def test_refs_and_log_never_name_a_snapshot_that_is_gone(moves: list[int], gone: set[int]) -> None:
    base = table(*(append(number, sequence=number) for number in (1, 2, 3, 4)))
    base = then(base, *(point("main", number) for number in moves), point("v", 2, "tag"))
    left = then(base, {"action": "remove-snapshots", "snapshot-ids": sorted(gone)})
    there = {one["snapshot-id"] for one in left["snapshots"]}
    assert there == {1, 2, 3, 4} - gone
    assert {ref["snapshot-id"] for ref in left["refs"].values()} <= there
    assert {one["snapshot-id"] for one in left["snapshot-log"]} <= there
    assert left.get("current-snapshot-id", 4 if not gone else None) in there | {None}


@pytest.mark.parametrize("update", [{}, {"action": "dance"}, {"action": []}], ids=str)
def test_words_that_nobody_knows_are_a_bad_request(update: Json) -> None:
    with pytest.raises(BadRequestError, match="not known"):
        check_known(ACTIONS, [update], "action")


@pytest.mark.parametrize(
    "update",
    [
        {"action": "add-schema"},
        {"action": "set-properties", "updates": 7},
        {"action": "add-spec", "spec": {"fields": [7]}},
        {"action": "remove-snapshots", "snapshot-ids": None},
        {"action": "set-snapshot-ref", "ref-name": "b"},
    ],
    ids=str,
)
def test_nonsense_is_a_bad_request(update: Json) -> None:
    with pytest.raises(BadRequestError):
        table(update)


@pytest.mark.parametrize("given", ["", "x", "1e9", "9" * 5000])
def test_a_number_that_is_none_is_the_client_s_fault_and_can_be_mended(given: str) -> None:
    name = "write.metadata.previous-versions-max"
    with pytest.raises(BadRequestError, match=f"the property {name} is no number"):
        then(table(), set_property(name, given))
    broken = {**table(), "properties": {name: given}}
    assert then(broken, {"action": "remove-properties", "removals": [name]})["properties"] == {}


def test_a_view_s_history_has_a_number_of_entries() -> None:
    name = "version.history.num-entries"
    with pytest.raises(BadRequestError, match=f"the property {name} is no number"):
        apply_view_updates(empty_view("u", "l"), [set_property(name, "x")], now=NOW)
