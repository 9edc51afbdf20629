"""Updates of snapshots, of branches and tags, and of what belongs to a snapshot."""

from collections.abc import Mapping
from typing import Any

from frazil.table_catalog.core.draft import Draft, Json
from frazil.table_catalog.core.errors import BadRequestError, CommitFailedError

Update = Mapping[str, Any]

_MAIN = "main"


def add_snapshot(draft: Draft, update: Update) -> None:
    snapshot, metadata = update["snapshot"], draft.metadata
    number = int(snapshot["snapshot-id"])
    if draft.find("snapshots", "snapshot-id", number) is not None:
        raise BadRequestError(f"Snapshot with id {number} already exists")
    if draft.version >= 2:
        metadata["last-sequence-number"] = _next_sequence(metadata, snapshot)
    if draft.version >= 3:
        metadata["next-row-id"] = _next_row_id(metadata, snapshot)
    metadata["last-updated-ms"] = int(snapshot["timestamp-ms"])
    draft.append("snapshots", snapshot)
    draft.new_snapshots.add(number)


def _next_sequence(metadata: Json, snapshot: Json) -> int:
    number, last = int(snapshot["sequence-number"]), int(metadata["last-sequence-number"])
    if number <= last and snapshot.get("parent-snapshot-id") is not None:
        # Somebody committed in between: to try again from the new state is the way out.
        raise CommitFailedError(
            f"Cannot add snapshot with sequence number {number} older than last sequence "
            f"number {last}"
        )
    return max(number, last)


def _next_row_id(metadata: Json, snapshot: Json) -> int:
    first, known = snapshot.get("first-row-id"), int(metadata.get("next-row-id", 0))
    if first is None:
        raise BadRequestError("Cannot add a snapshot without first-row-id to a v3 table")
    if first < known:
        raise CommitFailedError(
            f"Cannot add a snapshot, first-row-id is behind table next-row-id: {first} < {known}"
        )
    return known + int(snapshot.get("added-rows") or 0)


def set_ref(draft: Draft, update: Update) -> None:
    name, number = update["ref-name"], update["snapshot-id"]
    snapshot = draft.find("snapshots", "snapshot-id", number)
    if snapshot is None:
        raise BadRequestError(f"Cannot set {name} to unknown snapshot {number}")
    if update["type"] not in ("branch", "tag") or (name == _MAIN and update["type"] == "tag"):
        raise BadRequestError(f"Cannot make {name} a {update['type']}")
    ref = {key: value for key, value in update.items() if key not in ("action", "ref-name")}
    if draft.metadata.get("refs", {}).get(name) == ref:
        return
    draft.metadata["refs"] = {**draft.metadata.get("refs", {}), name: ref}
    if name == _MAIN:
        _move_main(draft, snapshot)


def _move_main(draft: Draft, snapshot: Json) -> None:
    number = snapshot["snapshot-id"]
    if draft.metadata.get("current-snapshot-id") == number:
        return
    when = snapshot["timestamp-ms"] if number in draft.new_snapshots else draft.now
    draft.metadata["current-snapshot-id"] = number
    draft.metadata["last-updated-ms"] = max(when, draft.metadata["last-updated-ms"])
    draft.append("snapshot-log", {"snapshot-id": number, "timestamp-ms": when})


def remove_ref(draft: Draft, update: Update) -> None:
    refs = draft.metadata.get("refs", {})
    draft.metadata["refs"] = {name: ref for name, ref in refs.items() if name != update["ref-name"]}
    if update["ref-name"] == _MAIN:
        draft.metadata.pop("current-snapshot-id", None)
        draft.metadata["snapshot-log"] = []


def remove_snapshots(draft: Draft, update: Update) -> None:
    gone = set(update["snapshot-ids"])
    metadata = draft.metadata
    for where in ("snapshots", "statistics", "partition-statistics"):
        if where in metadata:
            draft.keep(where, "snapshot-id", without=list(gone))
    dangling = [
        name for name, ref in metadata.get("refs", {}).items() if ref["snapshot-id"] in gone
    ]
    for name in dangling:
        remove_ref(draft, {"ref-name": name})
    metadata["snapshot-log"] = _unbroken(metadata.get("snapshot-log", []), gone)


def _unbroken(log: list[Json], gone: set[int]) -> list[Json]:
    """History before a gap would lie: who asks for a time in it would get what was not current."""
    last_gap = max((at for at, one in enumerate(log) if one["snapshot-id"] in gone), default=-1)
    return log[last_gap + 1 :]


def set_statistics(draft: Draft, update: Update) -> None:
    _replace(draft, "statistics", update["statistics"])


def remove_statistics(draft: Draft, update: Update) -> None:
    draft.keep("statistics", "snapshot-id", without=[update["snapshot-id"]])


def set_partition_statistics(draft: Draft, update: Update) -> None:
    _replace(draft, "partition-statistics", update["partition-statistics"])


def remove_partition_statistics(draft: Draft, update: Update) -> None:
    draft.keep("partition-statistics", "snapshot-id", without=[update["snapshot-id"]])


def _replace(draft: Draft, where: str, one: Json) -> None:
    draft.keep(where, "snapshot-id", without=[one["snapshot-id"]])
    draft.append(where, one)


def add_encryption_key(draft: Draft, update: Update) -> None:
    key = update["encryption-key"]
    draft.keep("encryption-keys", "key-id", without=[key["key-id"]])
    draft.append("encryption-keys", key)


def remove_encryption_key(draft: Draft, update: Update) -> None:
    draft.keep("encryption-keys", "key-id", without=[update["key-id"]])


def only_refs(metadata: Mapping[str, Any]) -> Json:
    """Leave out the snapshots that no branch and no tag names."""
    named = {ref["snapshot-id"] for ref in metadata.get("refs", {}).values()}
    named.add(metadata.get("current-snapshot-id"))
    kept = [one for one in metadata.get("snapshots", ()) if one["snapshot-id"] in named]
    return {**metadata, "snapshots": kept}
