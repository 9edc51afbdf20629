"""Events against bytes that Apache Iceberg's own classes (iceberg-kafka-connect-events) made."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

from frazil.spark_sink.core.events import Published, events_of

COMMIT = UUID("0b6e3c2c-8d49-4a07-9d6e-3f1f7a1c9b55")
PUBLISHED = Published(
    catalog="iceberg",
    namespace=("a", "b"),
    name="rows",
    table_uuid=UUID("f3a1d0c4-1111-4222-8333-944455556666"),
    snapshot_id=7234567890123456789,
    commit_id=COMMIT,
    valid_through=datetime(2026, 11, 19, 5, 0, 0, 123456, tzinfo=UTC),
)
TABLE_NOW = datetime(2026, 11, 19, 5, 22, 44, 44285, tzinfo=UTC)
TABLE = (
    "06faf7b693caa6b00616636f6e6e6563742d6c61620b6e3c2c8d494a079d6e3f1f7a1c9b550e69636562657267"
    "04026102620008726f777302f3a1d0c411114222833394445555666602aa848ca4cdcaace6c8010280d9d8febf"
    "a6b006"
)
COMPLETE_NOW = datetime(2026, 11, 19, 5, 22, 44, 138033, tzinfo=UTC)
COMPLETE = (
    "08e2b0c293caa6b00616636f6e6e6563742d6c61620b6e3c2c8d494a079d6e3f1f7a1c9b550280d9d8febfa6b006"
)
UNKNOWN_NOW = datetime(2026, 11, 19, 5, 22, 44, 140279, tzinfo=UTC)
UNKNOWN = "08eed3c293caa6b00616636f6e6e6563742d6c61620b6e3c2c8d494a079d6e3f1f7a1c9b5500"
# Of the schemas' texts, digests.
TABLE_SCHEMA = "8187ced5df7965815e54ff819e959c4109451aee2c4e822975a81f66ca848af3"
COMPLETE_SCHEMA = "45182e3ca59591b1d274fd1038960577e630310128a952be6aa418ce8f647f1f"


def taken_apart(event: bytes) -> tuple[str, bytes, str]:
    """Return the digest of the schema, the id, and the rest."""
    assert event[:2] == b"\xc2\x01"
    end = 4 + int.from_bytes(event[2:4], "big")
    return sha256(event[4:end]).hexdigest(), event[end : end + 16], event[end + 16 :].hex()


def test_an_event_for_a_table_has_the_bytes_of_icebergs_own_class() -> None:
    event, _ = events_of([PUBLISHED], group="connect-lab", now=TABLE_NOW)
    schema, _, rest = taken_apart(event)
    assert (schema, rest) == (TABLE_SCHEMA, TABLE)


def test_the_event_behind_a_batch_says_before_when_all_is_there() -> None:
    later = replace(
        PUBLISHED,
        table_uuid=UUID(int=1),
        valid_through=datetime(2026, 11, 19, 6, tzinfo=UTC),
    )
    *_, event = events_of([later, PUBLISHED], group="connect-lab", now=COMPLETE_NOW)
    schema, _, rest = taken_apart(event)
    assert (schema, rest) == (COMPLETE_SCHEMA, COMPLETE)


def test_one_table_that_does_not_know_leaves_the_batch_without_a_time() -> None:
    unknown = replace(PUBLISHED, table_uuid=UUID(int=1), valid_through=None)
    *tables, event = events_of([PUBLISHED, unknown], group="connect-lab", now=UNKNOWN_NOW)
    assert len(tables) == 2
    assert taken_apart(event)[2] == UNKNOWN


def test_what_is_told_twice_has_the_same_id_and_nothing_else_has() -> None:
    other = replace(PUBLISHED, commit_id=UUID(int=7))
    first = events_of([PUBLISHED, other], group="g", now=TABLE_NOW)
    again = events_of([PUBLISHED, other], group="g", now=TABLE_NOW + timedelta(minutes=1))
    ids = [taken_apart(event)[1] for event in first]
    assert len(set(ids)) == 4
    assert ids == [taken_apart(event)[1] for event in again]


def test_nothing_committed_is_nothing_told() -> None:
    assert events_of([], group="g", now=TABLE_NOW) == []
