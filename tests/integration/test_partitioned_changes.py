"""Records that change rows of earlier commits, in tables partitioned by each of Iceberg's ways."""

from datetime import datetime
from typing import Any

import pytest
from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

from frazil.worker.bridge import items, java_session, jvm

pytestmark = LEAVES_SOCKETS

FORMS = {
    "position deletes": {"format-version": "2", "write.merge.mode": "merge-on-read"},
    "deletion vectors": {"format-version": "3", "write.merge.mode": "merge-on-read"},
    "copy on write": {"format-version": "2", "write.merge.mode": "copy-on-write"},
}
# As a partition spec's builder calls them, with what each takes.
PARTITIONS: dict[str, tuple[tuple[str, tuple[Any, ...]], ...]] = {
    "none": (),
    "identity": (("identity", ("name",)),),
    "year": (("year", ("ts",)),),
    "month": (("month", ("ts",)),),
    "day": (("day", ("ts",)),),
    "hour": (("hour", ("ts",)),),
    "bucket": (("bucket", ("id", 4)),),
    "truncate": (("truncate", ("name", 2)),),
    "void": (("alwaysNull", ("ts",)),),
    "day and bucket": (("day", ("ts",)), ("bucket", ("id", 4))),
}
# One hour of one day, and moments in another hour, day, month and year.
AT = "2026-03-05T10:00:00Z"
SAME = "2026-03-05T10:59:59.5Z"
ELSEWHERE = (
    "2026-03-05T11:00:00Z",
    "2026-03-06T10:00:00Z",
    "2026-04-05T10:00:00Z",
    "1969-12-31T23:59:59Z",
)
Row = tuple[datetime, str]


def change(number: int, ts: str = AT, name: str = "aa1", op: str = "u") -> dict[str, Any]:
    return {"id": number, "ts": ts, "name": name, "op": op}


COMMITS = [
    [change(number, op="c") for number in range(1, 9)],
    # Within the partition, into another one, a deletion, a new row.
    [
        change(1, ts=SAME, name="aa2"),
        *(change(2 + n, ts=ts, name=f"b{n}") for n, ts in enumerate(ELSEWHERE)),
        change(7, op="d"),
        change(9, ts=ELSEWHERE[0], op="c"),
    ],
    # What has been moved is moved again and deleted, what was deleted is there again.
    [change(2), change(3, op="d"), change(7, ts=ELSEWHERE[3], name="again", op="c"), change(8)],
]


def oracle(commits: list[list[dict[str, Any]]]) -> dict[int, Row]:
    rows: dict[int, Row] = {}
    for record in (record for commit in commits for record in commit):
        rows[record["id"]] = (datetime.fromisoformat(record["ts"]), record["name"])
        if record["op"] == "d":
            del rows[record["id"]]
    return rows


def create(lake: FleetLab, partitions: str, form: str) -> None:
    listed = ", ".join(f"'{key}'='{value}'" for key, value in FORMS[form].items())
    lake.sql(
        "CREATE TABLE NS.a (id BIGINT NOT NULL, ts TIMESTAMP, name STRING) USING iceberg "
        f"TBLPROPERTIES ({listed})"
    )
    table = load(lake)
    iceberg = jvm(lake.spark).org.apache.iceberg
    builder = iceberg.PartitionSpec.builderFor(table.schema())
    for transform, arguments in PARTITIONS[partitions]:
        builder = getattr(builder, transform)(*arguments)
    operations = table.operations()
    base = operations.current()
    operations.commit(base, base.updatePartitionSpec(builder.build()))


def load(lake: FleetLab) -> Any:
    java = jvm(lake.spark).org.apache.iceberg.spark.Spark3Util
    return java.loadIcebergTable(java_session(lake.spark), f"lake.{lake.namespace}.a")


def rows(lake: FleetLab) -> dict[int, Row]:
    """Read the table by Iceberg's own reader, which knows neither Spark nor us."""
    found: dict[int, Row] = {}
    generics = jvm(lake.spark).org.apache.iceberg.data.IcebergGenerics
    for record in items(generics.read(load(lake)).build()):
        number = record.getField("id")
        assert number not in found, "a key has one row"
        moment = datetime.fromisoformat(str(record.getField("ts").toInstant()))
        found[number] = (moment, record.getField("name"))
    return found


def keys(lake: FleetLab, **more: str) -> dict[str, str]:
    return {
        "iceberg.tables": f"{lake.namespace}.a",
        "iceberg.tables.default-id-columns": "id",
        **more,
    }


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("partitions", PARTITIONS)
def test_changes_meet_rows_of_earlier_commits_whatever_partitions_the_table_has(
    lake: FleetLab, partitions: str, form: str
) -> None:
    create(lake, partitions, form)
    run = lake.start(1, keys(lake, **{"iceberg.tables.cdc-field": "op"}))
    for number, commit in enumerate(COMMITS, 1):
        run.write(commit)
        assert rows(lake) == oracle(COMMITS[:number])


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_upserts_meet_rows_of_earlier_commits_whatever_partitions_the_table_has(
    lake: FleetLab, partitions: str
) -> None:
    create(lake, partitions, "position deletes")
    run = lake.start(1, keys(lake, **{"iceberg.tables.upsert-mode-enabled": "true"}))
    commits = [[record for record in commit if record["op"] != "d"] for commit in COMMITS]
    for commit in commits:
        run.write(commit)
    assert rows(lake) == oracle(commits)


def test_changes_meet_rows_of_an_earlier_partition_spec_in_a_sorted_table(lake: FleetLab) -> None:
    create(lake, "month", "deletion vectors")
    run = lake.start(1, keys(lake, **{"iceberg.tables.cdc-field": "op"}))
    run.write(COMMITS[0])
    lake.sql("ALTER TABLE NS.a REPLACE PARTITION FIELD ts_month WITH days(ts)")
    lake.sql("ALTER TABLE NS.a WRITE ORDERED BY truncate(1, name), ts DESC")
    run.write(COMMITS[1])
    run.write(COMMITS[2])
    assert rows(lake) == oracle(COMMITS)
