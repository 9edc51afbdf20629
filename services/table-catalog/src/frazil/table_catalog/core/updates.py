"""Updates of a table's metadata, applied to JSON: fields that we do not know stay as they are."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frazil.table_catalog.core import layout, snapshots
from frazil.table_catalog.core.draft import Draft, Json, most_of
from frazil.table_catalog.core.errors import BadRequestError

Update = Mapping[str, Any]
Apply = Callable[[Draft, Update], None]

_HIGHEST_VERSION = 3
_LOG_LENGTH = "write.metadata.previous-versions-max"


def empty_table(now: int) -> Json:
    """What the first commit of a staged table starts from."""
    return {
        "format-version": 2,
        "last-sequence-number": 0,
        "last-updated-ms": now,
        "last-column-id": 0,
        "last-partition-id": layout.FIRST_PARTITION_ID - 1,
        "schemas": [],
        "partition-specs": [],
        "sort-orders": [],
        "properties": {},
        "refs": {},
        "snapshots": [],
        "snapshot-log": [],
        "metadata-log": [],
        "default-sort-order-id": 0,
    }


def apply_updates(
    base: Mapping[str, Any], updates: Sequence[Update], *, location: str | None, now: int
) -> Json:
    """Make the next metadata, or the same if nothing changes; `location` is where the base is."""
    draft = Draft(dict(base), now)
    apply_all(draft, updates, ACTIONS)
    if draft.metadata == base:
        return draft.metadata
    if draft.metadata["last-updated-ms"] == base["last-updated-ms"]:
        draft.metadata["last-updated-ms"] = max(now, int(base["last-updated-ms"]))
    if location is not None:
        _note_previous(draft.metadata, location, int(base["last-updated-ms"]))
    layout.keep_version_1(draft.metadata)
    return draft.metadata


def apply_all(draft: Draft, updates: Sequence[Update], actions: Mapping[str, Apply]) -> None:
    for update in updates:
        action = update["action"]
        try:
            actions[action](draft, update)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise BadRequestError(f"the update {action} cannot be understood: {error!r}") from error


def _note_previous(metadata: Json, location: str, written: int) -> None:
    most = most_of(metadata, _LOG_LENGTH, 100)
    entry = {"metadata-file": location, "timestamp-ms": written}
    metadata["metadata-log"] = [*metadata.get("metadata-log", ()), entry][-most:]


def _assign_uuid(draft: Draft, update: Update) -> None:
    known = draft.metadata.get("table-uuid")
    if known is not None and known != update["uuid"]:
        raise BadRequestError(f"Cannot reassign the uuid of a table: {known}")
    draft.metadata["table-uuid"] = update["uuid"]


def _upgrade(draft: Draft, update: Update) -> None:
    version = int(update["format-version"])
    if not 1 <= version <= _HIGHEST_VERSION:
        raise BadRequestError(f"Unsupported table format version: {version}")
    # A table that is being made has no version yet that could be lowered.
    if version < draft.version and "table-uuid" in draft.metadata and draft.metadata["schemas"]:
        raise BadRequestError(f"Cannot downgrade v{draft.version} table to v{version}")
    draft.metadata["format-version"] = version
    if version >= 2:
        draft.metadata.setdefault("last-sequence-number", 0)
        draft.metadata.pop("schema", None)
        draft.metadata.pop("partition-spec", None)
    if version >= 3:
        draft.metadata.setdefault("next-row-id", 0)


def _set_location(draft: Draft, update: Update) -> None:
    draft.metadata["location"] = str(update["location"]).rstrip("/")


def set_properties(draft: Draft, update: Update) -> None:
    # The Java library calls them so, and old clients still do.
    given = update["updates"] if "updates" in update else update["updated"]
    changed = {name: str(value) for name, value in given.items()}
    draft.metadata["properties"] = {**draft.metadata.get("properties", {}), **changed}


def remove_properties(draft: Draft, update: Update) -> None:
    gone = set(update["removals"] if "removals" in update else update["removed"])
    kept = draft.metadata.get("properties", {}).items()
    draft.metadata["properties"] = {name: value for name, value in kept if name not in gone}


ACTIONS: dict[str, Apply] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": _upgrade,
    "add-schema": layout.add_schema,
    "set-current-schema": layout.set_current_schema,
    "remove-schemas": layout.remove_schemas,
    "add-spec": layout.add_spec,
    "set-default-spec": layout.set_default_spec,
    "remove-partition-specs": layout.remove_specs,
    "add-sort-order": layout.add_sort_order,
    "set-default-sort-order": layout.set_default_sort_order,
    "add-snapshot": snapshots.add_snapshot,
    "remove-snapshots": snapshots.remove_snapshots,
    "set-snapshot-ref": snapshots.set_ref,
    "remove-snapshot-ref": snapshots.remove_ref,
    "set-statistics": snapshots.set_statistics,
    "remove-statistics": snapshots.remove_statistics,
    "set-partition-statistics": snapshots.set_partition_statistics,
    "remove-partition-statistics": snapshots.remove_partition_statistics,
    "add-encryption-key": snapshots.add_encryption_key,
    "remove-encryption-key": snapshots.remove_encryption_key,
    "set-location": _set_location,
    "set-properties": set_properties,
    "remove-properties": remove_properties,
}
