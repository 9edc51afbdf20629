"""Real workers that apply changes: the table ends as the source, whoever is killed and when."""

import json
import random
from typing import Any

import pytest
from tests.support.lab import Lab, Moment, wait_until
from tests.support.moments import after_commit, mid_write

COUNT, KEYS = 3000, 300
CHANGES = {
    "iceberg.tables.cdc-field": "op",
    "iceberg.tables.default-id-columns": "id",
    "frazil.max.records.per.commit": "500",
}


def history() -> tuple[list[dict[str, Any]], dict[int, str]]:
    """Changes of some rows, which move from one partition of the table to another."""
    chance = random.Random(5)  # noqa: S311
    changes: list[dict[str, Any]] = []
    state: dict[int, str] = {}
    for _ in range(COUNT):
        number, bucket = chance.randrange(KEYS), f"b{chance.randrange(4)}"
        if chance.random() < 0.1:
            changes.append({"id": number, "op": "d"})
            state.pop(number, None)
        else:
            changes.append({"id": number, "bucket": bucket, "op": "u"})
            state[number] = bucket
    return changes, state


def rows(lab: Lab) -> dict[int, str]:
    found = lab.table.scan(selected_fields=("id", "bucket")).to_arrow().to_pylist()
    assert len({row["id"] for row in found}) == len(found), "a key has one row"
    return {row["id"]: row["bucket"] for row in found}


@pytest.mark.parametrize("moment", [mid_write, after_commit])
def test_a_table_ends_as_its_source_although_workers_are_killed(lab: Lab, moment: Moment) -> None:
    table = lab.create_table()
    table.transaction().set_properties({"write.merge.mode": "merge-on-read"}).commit_transaction()
    changes, state = history()
    # All of a key in one partition of the topic, as a keyed producer has it.
    lab.produce_raw((json.dumps(change).encode() for change in changes), partitions=1)
    lab.start_and_kill(1, CHANGES, moment=moment)
    last = lab.start(2, CHANGES)
    wait_until("all is read", lambda: lab.ledgers()[-1].end[lab.topic][0] == COUNT, every=1)
    last.stop()
    assert rows(lab) == state
    assert lab.proof().proved
    assert lab.proof().sums.written == COUNT
