"""Metadata of views: how it begins, and the updates of a commit."""

from collections.abc import Mapping, Sequence
from typing import Any

from frazil.table_catalog.core import updates
from frazil.table_catalog.core.draft import Draft, Json, most_of
from frazil.table_catalog.core.errors import BadRequestError

Update = Mapping[str, Any]

_FORMAT_VERSION = 1
_HISTORY = "version.history.num-entries"


def empty_view(uuid: str, location: str) -> Json:
    return {
        "view-uuid": uuid,
        "format-version": _FORMAT_VERSION,
        "location": location,
        "schemas": [],
        "current-version-id": 0,
        "versions": [],
        "version-log": [],
        "properties": {},
    }


def apply_view_updates(base: Mapping[str, Any], changes: Sequence[Update], *, now: int) -> Json:
    draft = Draft(dict(base), now)
    updates.apply_all(draft, changes, ACTIONS)
    _forget_old(draft.metadata)
    return draft.metadata


def _forget_old(metadata: Json) -> None:
    most = most_of(metadata, _HISTORY, 10)
    current = metadata["current-version-id"]
    older = [one for one in metadata["versions"] if one["version-id"] != current]
    room = most - 1
    kept = {current, *(one["version-id"] for one in older[len(older) - min(room, len(older)) :])}
    metadata["versions"] = [one for one in metadata["versions"] if one["version-id"] in kept]
    metadata["version-log"] = [one for one in metadata["version-log"] if one["version-id"] in kept]


def _assign_uuid(draft: Draft, update: Update) -> None:
    if draft.metadata["view-uuid"] != update["uuid"]:
        raise BadRequestError("Cannot reassign the uuid of a view")


def _upgrade(_draft: Draft, update: Update) -> None:
    if update["format-version"] != _FORMAT_VERSION:
        raise BadRequestError(f"Unsupported view format version: {update['format-version']}")


def _add_schema(draft: Draft, update: Update) -> None:
    draft.add_numbered("schemas", "schema-id", update["schema"])


def _set_location(draft: Draft, update: Update) -> None:
    draft.metadata["location"] = str(update["location"]).rstrip("/")


def _add_version(draft: Draft, update: Update) -> None:
    version = dict(update["view-version"])
    if version["schema-id"] == -1:
        version["schema-id"] = draft.resolve("schemas", "schema-id", -1)
    if draft.find("schemas", "schema-id", version["schema-id"]) is None:
        raise BadRequestError(f"Cannot add a version with unknown schema {version['schema-id']}")
    if not version["representations"]:
        raise BadRequestError("a version of a view has at least one representation")
    version.setdefault("timestamp-ms", draft.now)
    draft.add_numbered("versions", "version-id", version, first=1)


def _set_version(draft: Draft, update: Update) -> None:
    number = draft.resolve("versions", "version-id", int(update["view-version-id"]))
    if draft.metadata["current-version-id"] != number:
        draft.metadata["current-version-id"] = number
        draft.append("version-log", {"timestamp-ms": draft.now, "version-id": number})


ACTIONS: dict[str, updates.Apply] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": _upgrade,
    "add-schema": _add_schema,
    "set-location": _set_location,
    "set-properties": updates.set_properties,
    "remove-properties": updates.remove_properties,
    "add-view-version": _add_version,
    "set-current-view-version": _set_version,
}
