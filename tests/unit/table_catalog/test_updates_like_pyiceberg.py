"""Whatever PyIceberg accepts as a commit, we make the same metadata of."""

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from pydantic_core import from_json
from pyiceberg.exceptions import ValidationError
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil, TableMetadataV1
from pyiceberg.table.update import TableUpdate, update_table_metadata
from pyiceberg.typedef import IcebergBaseModel
from tests.support.iceberg_rest import SCHEMA

from frazil.table_catalog.catalog.shapes import new_metadata
from frazil.table_catalog.core.updates import apply_updates

Json = dict[str, Any]
Move = tuple[str, int, int]

NOW = 1_900_000_000_000
# Snapshots were made long before; what has the time of this test is later.
LONG_AGO = 1_000_000_000_000
UPDATE: TypeAdapter[Any] = TypeAdapter(TableUpdate)
REFS = ("main", "b", "t", "u")


def add_schema(table: TableMetadata, _a: int, _b: int) -> Json:
    number = table.last_column_id + 1
    field = {"id": number, "name": f"c{number}", "required": False, "type": "int"}
    fields = [*from_json(table.schema().model_dump_json())["fields"], field]
    added = max(one.schema_id for one in table.schemas) + 1
    return {
        "action": "add-schema",
        "schema": {"type": "struct", "schema-id": added, "fields": fields},
    }


def add_spec(table: TableMetadata, _a: int, _b: int) -> Json:
    number = (table.last_partition_id or 999) + 1
    field = {
        "source-id": 1,
        "field-id": number,
        "transform": f"bucket[{number}]",
        "name": f"p{number}",
    }
    added = max(one.spec_id for one in table.partition_specs) + 1
    return {"action": "add-spec", "spec": {"spec-id": added, "fields": [field]}}


def add_order(table: TableMetadata, _a: int, _b: int) -> Json:
    added = max(one.order_id for one in table.sort_orders) + 1
    field = {"source-id": 1, "transform": f"bucket[{added}]", "direction": "asc"}
    order = {"order-id": added, "fields": [{**field, "null-order": "nulls-first"}]}
    return {"action": "add-sort-order", "sort-order": order}


def add_snapshot(table: TableMetadata, a: int, _b: int) -> Json:
    described = [one.snapshot_id for one in table.partition_statistics]
    number = max((*described, *(one.snapshot_id for one in table.snapshots)), default=0) + 1
    snapshot: Json = {
        "snapshot-id": number,
        "timestamp-ms": LONG_AGO + number,
        "manifest-list": f"file:///t/{number}.avro",
        "summary": {"operation": "append"},
        "schema-id": table.current_schema_id,
    }
    if not isinstance(table, TableMetadataV1):
        snapshot["sequence-number"] = table.last_sequence_number + 1
    if a and table.current_snapshot_id is not None:
        snapshot["parent-snapshot-id"] = table.current_snapshot_id
    return {"action": "add-snapshot", "snapshot": snapshot}


def set_ref(_table: TableMetadata, a: int, b: int) -> Json:
    kind = "tag" if REFS[a] == "t" else "branch"
    keep = {"min-snapshots-to-keep": b} if b > 2 and kind == "branch" else {}
    return {
        "action": "set-snapshot-ref",
        "ref-name": REFS[a],
        "type": kind,
        "snapshot-id": b,
        **keep,
    }


def statistics(snapshot: int, size: int) -> Json:
    path = f"file:///t/{snapshot}.stats"
    return {"snapshot-id": snapshot, "statistics-path": path, "file-size-in-bytes": size}


def set_statistics(_table: TableMetadata, a: int, b: int) -> Json:
    more = {"file-footer-size-in-bytes": 1, "blob-metadata": []}
    return {"action": "set-statistics", "statistics": {**statistics(a, b), **more}}


def set_partition_statistics(_table: TableMetadata, a: int, b: int) -> Json:
    return {"action": "set-partition-statistics", "partition-statistics": statistics(a, b)}


def simple(action: str, **fields: Callable[[int, int], object]) -> Callable[..., Json]:
    def make(_table: TableMetadata, a: int, b: int) -> Json:
        return {"action": action} | {
            name.replace("_", "-"): value(a, b) for name, value in fields.items()
        }

    return make


MOVES: dict[str, Callable[[TableMetadata, int, int], Json]] = {
    "schema": add_schema,
    "spec": add_spec,
    "order": add_order,
    "snapshot": add_snapshot,
    "ref": set_ref,
    "statistics": set_statistics,
    "partition statistics": set_partition_statistics,
    "current schema": simple("set-current-schema", schema_id=lambda a, _: a - 1),
    "default spec": simple("set-default-spec", spec_id=lambda a, _: a - 1),
    "default order": simple("set-default-sort-order", sort_order_id=lambda a, _: a - 1),
    "no schema": simple("remove-schemas", schema_ids=lambda a, _: [a]),
    "no spec": simple("remove-partition-specs", spec_ids=lambda a, _: [a]),
    "no snapshot": simple("remove-snapshots", snapshot_ids=lambda a, _: [a]),
    "no ref": simple("remove-snapshot-ref", ref_name=lambda a, _: REFS[a]),
    "no statistics": simple("remove-statistics", snapshot_id=lambda a, _: a),
    "no partition statistics": simple("remove-partition-statistics", snapshot_id=lambda a, _: a),
    "properties": simple("set-properties", updates=lambda a, b: {f"p{a}": str(b)}),
    "no property": simple("remove-properties", removals=lambda a, _: [f"p{a}"]),
    "location": simple("set-location", location=lambda a, _: f"file:///t/{a}"),
    "version": simple("upgrade-format-version", format_version=lambda a, _: a),
}
STEPS = st.lists(
    st.tuples(st.sampled_from(sorted(MOVES)), st.integers(0, 3), st.integers(0, 3)), max_size=25
)


@given(version=st.sampled_from(["1", "2"]), steps=STEPS, at_once=st.booleans())
def test_what_pyiceberg_makes_of_commits_we_make(
    version: str, steps: Sequence[Move], at_once: bool
) -> None:
    ours = new_metadata(
        "file:///t",
        schema=SCHEMA,
        spec=None,
        order=None,
        properties={"format-version": version},
    )
    ours["last-updated-ms"] = LONG_AGO
    theirs = TableMetadataUtil.parse_obj(ours)
    for number, commit in enumerate([steps] if at_once else [[step] for step in steps]):
        old = f"file:///t/{number}.json"
        theirs, accepted = by_pyiceberg(theirs, commit, old)
        if accepted:
            ours = apply_updates(ours, accepted, location=old, now=NOW)
    mine, wanted = comparable(TableMetadataUtil.parse_obj(ours)), comparable(theirs)
    files = [one["metadata-file"] for one in mine.pop("metadata-log")]
    # A commit that changes nothing has no file of its own with us.
    assert set(files) <= {one["metadata-file"] for one in wanted.pop("metadata-log")}
    log, whole_log = mine.pop("snapshot-log"), wanted.pop("snapshot-log")
    if {"no spec", "version"} <= {name for name, _, _ in steps}:
        # In an upgrade PyIceberg forgets the fields of specs that are gone; ids are for ever.
        assert mine.pop("last-partition-id") >= wanted.pop("last-partition-id")
    assert mine == wanted
    # Iceberg's library cuts it where a snapshot is gone or main was removed, PyIceberg does not.
    assert log == whole_log[len(whole_log) - len(log) :]


def by_pyiceberg(
    base: TableMetadata, steps: Sequence[Move], old: str
) -> tuple[TableMetadata, list[Json]]:
    """Commit as many of the steps as PyIceberg lets through; return them as they would be sent."""
    accepted: list[Json] = []
    made = base
    for name, a, b in steps:
        update = MOVES[name](made, a, b)
        try:
            made = commit_to(base, [*accepted, update], old)
        except (ValueError, KeyError, ValidationError):
            continue
        accepted.append(update)
    return made, accepted


def commit_to(base: TableMetadata, updates: list[Json], old: str) -> TableMetadata:
    parsed = tuple(UPDATE.validate_python(update) for update in updates)
    # What a catalog would read again, not what is left in memory.
    made = update_table_metadata(base, parsed, metadata_location=old)
    return TableMetadataUtil.parse_raw(IcebergBaseModel.model_dump_json(made))


def comparable(table: TableMetadata) -> Json:
    """Leave out the time of the test, and what PyIceberg does otherwise than Iceberg's Java."""
    metadata: Json = from_json(IcebergBaseModel.model_dump_json(table))
    metadata.pop("last-updated-ms")
    # PyIceberg leaves these as they were in version 1, though they are the current ones.
    metadata.pop("schema", None)
    metadata.pop("partition-spec", None)
    there = {one["snapshot-id"] for one in metadata["snapshots"]}
    for one in metadata["snapshots"]:
        # PyIceberg forgets a parent that is removed.
        if one.get("parent-snapshot-id") not in there:
            one.pop("parent-snapshot-id", None)
    for one in metadata["snapshot-log"]:
        if one["timestamp-ms"] > LONG_AGO + 1000:
            one["timestamp-ms"] = NOW
    # PyIceberg keeps these of a snapshot that is removed.
    metadata["partition-statistics"] = [
        one for one in metadata["partition-statistics"] if one["snapshot-id"] in there
    ]
    # PyIceberg notes main again when only its retention changes.
    metadata["snapshot-log"] = [
        next(same) for _, same in groupby(metadata["snapshot-log"], itemgetter("snapshot-id"))
    ]
    return metadata
