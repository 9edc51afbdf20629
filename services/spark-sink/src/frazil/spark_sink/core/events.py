"""Events of commits, in the bytes that Kafka Connect's sink puts on its control topic.

Each brings its own schema: two magic bytes, the schema as text with its length, then Avro. Field
ids are those of Iceberg's events, so that its readers know what they see.
"""

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

MAGIC = b"\xc2\x01"
_PACKAGE = "org.apache.iceberg.connect.events"
_COMMIT_TO_TABLE, _COMMIT_COMPLETE = 3, 4
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Published:
    """A commit to one table, as others may see it."""

    catalog: str
    namespace: tuple[str, ...]
    name: str
    table_uuid: uuid.UUID
    snapshot_id: int
    commit_id: uuid.UUID
    valid_through: datetime | None


def events_of(batch: Sequence[Published], *, group: str, now: datetime) -> list[bytes]:
    """Make an event for each table, and one for each batch that they were committed in.

    An event that is made twice has the same id: whoever counts can leave the second one out.
    """
    commits = dict.fromkeys(one.commit_id for one in batch)
    return [_commit_to_table(one, group, now) for one in batch] + [
        _commit_complete(commit, [one for one in batch if one.commit_id == commit], group, now)
        for commit in commits
    ]


def _commit_to_table(one: Published, group: str, now: datetime) -> bytes:
    names = b"".join(_text(part) for part in one.namespace)
    payload = (
        one.commit_id.bytes
        + _text(one.catalog)
        # One block of names, and the empty one that ends them.
        + (_long(len(one.namespace)) + names if one.namespace else b"")
        + _long(0)
        + _text(one.name)
        + _optional(one.table_uuid, lambda found: found.bytes)
        + _optional(one.snapshot_id, _long)
        + _optional(one.valid_through, _micros)
    )
    event_id = uuid.uuid5(one.commit_id, str(one.table_uuid))
    return _event(_TABLE_SCHEMA, event_id, _COMMIT_TO_TABLE, group=group, now=now) + payload


def _commit_complete(
    commit: uuid.UUID, tables: Sequence[Published], group: str, now: datetime
) -> bytes:
    known = [one.valid_through for one in tables if one.valid_through is not None]
    through = min(known) if len(known) == len(tables) else None
    payload = commit.bytes + _optional(through, _micros)
    event_id = uuid.uuid5(commit, "complete")
    return _event(_COMPLETE_SCHEMA, event_id, _COMMIT_COMPLETE, group=group, now=now) + payload


def _event(schema: bytes, event_id: uuid.UUID, number: int, *, group: str, now: datetime) -> bytes:
    head = MAGIC + len(schema).to_bytes(2, "big") + schema
    return head + event_id.bytes + _long(number) + _micros(now) + _text(group)


def _long(number: int) -> bytes:
    """Write the sign last, then seven bits at a time, the lowest first."""
    rest = number * 2 if number >= 0 else -number * 2 - 1
    written = bytearray()
    while rest > 0x7F:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*written, rest])


def _text(text: str) -> bytes:
    written = text.encode()
    return _long(len(written)) + written


def _micros(moment: datetime) -> bytes:
    since = moment - _EPOCH
    return _long((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)


def _optional(value: _Value | None, write: Callable[[_Value], bytes]) -> bytes:
    return _long(0) if value is None else _long(1) + write(value)


def _field(name: str, number: int, kind: Any, **more: Any) -> Mapping[str, Any]:
    return {"name": name, "type": kind, **more, "field-id": number}


def _record(name: str, *fields: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    return {"type": "record", "name": name, **more, "fields": fields}


def _schema(payload: Mapping[str, Any]) -> bytes:
    event = _record(
        "Event",
        _field("id", 10500, _FIRST_UUID),
        _field("type", 10501, "int"),
        _field("timestamp", 10502, _TIMESTAMP),
        _field("group_id", 10503, "string"),
        _field("payload", 10504, payload),
        namespace=_PACKAGE,
    )
    return json.dumps(event, separators=(",", ":")).encode()


def _may_lack(name: str, number: int, kind: Any) -> Mapping[str, Any]:
    return _field(name, number, ["null", kind], default=None)


# A type has its definition where it is named first, and its name alone after that.
_UUID = "uuid_fixed"
_FIRST_UUID = {"type": "fixed", "name": _UUID, "namespace": "", "size": 16, "logicalType": "uuid"}
_TIMESTAMP = {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True}
_TABLE_SCHEMA = _schema(
    _record(
        "CommitToTable",
        _field("commit_id", 10400, _UUID),
        _field(
            "table_reference",
            10401,
            _record(
                "TableReference",
                _field("catalog", 10600, "string"),
                _field(
                    "namespace", 10601, {"type": "array", "items": "string", "element-id": 10602}
                ),
                _field("name", 10603, "string"),
                _may_lack("table_uuid", 10604, _UUID),
            ),
        ),
        _may_lack("snapshot_id", 10402, "long"),
        _may_lack("valid_through_ts", 10403, _TIMESTAMP),
    )
)
_COMPLETE_SCHEMA = _schema(
    _record(
        "CommitComplete",
        _field("commit_id", 10000, _UUID),
        _may_lack("valid_through_ts", 10001, _TIMESTAMP),
    )
)
