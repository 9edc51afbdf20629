"""Events on the control topic, with a real broker: what was committed is told, and told whole."""

from collections.abc import Sequence
from typing import Any

from tests.support.events import read_event
from tests.support.lab import Lab, wait_until

TABLE, COMPLETE = 3, 4


def events(lab: Lab, topic: str) -> Sequence[dict[str, Any]]:
    records = lab.records(topic)
    assert {record.key for record in records} == {b"connect-lab"}
    return [read_event(record.value) for record in records]


def keys(lab: Lab) -> dict[str, str]:
    return {
        "frazil.control.events": "true",
        "iceberg.control.topic": f"{lab.topic}.control",
        "iceberg.tables": "streaming.rows, streaming.copy",
        "iceberg.kafka.linger.ms": "5",
    }


def test_commits_to_two_tables_are_told_with_their_snapshots_and_as_one_batch(lab: Lab) -> None:
    tables = {name: lab.create_table(name) for name in ("rows", "copy")}
    lab.produce(range(10))
    worker = lab.start(1, keys(lab))
    wait_until("both tables told of", lambda: worker.commits == 2)
    *told, complete = events(lab, f"{lab.topic}.control")
    assert [event["type"] for event in told] == [TABLE, TABLE]
    assert complete["type"] == COMPLETE
    assert {event["group_id"] for event in [*told, complete]} == {"connect-lab"}
    (commit,) = {event["payload"]["commit_id"] for event in [*told, complete]}
    found = {
        event["payload"]["table_reference"]["name"]: (
            event["payload"]["table_reference"]["table_uuid"],
            event["payload"]["snapshot_id"],
        )
        for event in told
    }
    newest = {name: lab.catalog.load_table(f"streaming.{name}") for name in tables}
    assert found == {
        name: (table.metadata.table_uuid, table.metadata.current_snapshot_id)
        for name, table in newest.items()
    }
    summary = newest["rows"].current_snapshot().summary
    assert summary.additional_properties["kafka.connect.commit-id"] == str(commit)


def test_a_restart_tells_the_newest_commit_again_with_the_same_ids(lab: Lab) -> None:
    for name in ("rows", "copy"):
        lab.create_table(name)
    lab.produce(range(10))
    first = lab.start(1, keys(lab))
    wait_until("both tables told of", lambda: first.commits == 2)
    before = {event["id"] for event in events(lab, f"{lab.topic}.control")}
    first.kill()
    second = lab.start(2, keys(lab))
    wait_until("the second driver at work", second.is_running)
    again = [event["id"] for event in events(lab, f"{lab.topic}.control")]
    assert len(again) > len(before)
    assert set(again) == before
    lab.produce(range(10, 13))
    wait_until("new rows in both tables", lambda: second.commits == 2)
    assert lab.ids() == lab.ids("copy") == list(range(13))
    assert len({event["id"] for event in events(lab, f"{lab.topic}.control")}) == 6
