"""Much of something: topics, table partitions, bytes in a record."""

from collections.abc import Iterable
from functools import partial

from aiokafka.admin import NewTopic
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType, TimeType
from tests.support.lab import LARGEST, SCHEMA, Lab, wait_until

from frazil.contracts.states import TableState

TOPICS = 50
POISONED = 7
TABLE_PARTITIONS = 1200
RECORDS = 36_000
HUGE = 16_000_000


def _have_rows(lab: Lab, tables: Iterable[str], count: int) -> bool:
    return all(lab.rows(table) == count for table in tables)


def test_one_poisoned_topic_of_fifty_holds_up_no_other(lab: Lab) -> None:
    names = [f"{lab.topic}-{number}" for number in range(TOPICS)]
    lab.ask_admin(lambda admin: admin.create_topics([NewTopic(name, 1, 1) for name in names]))
    for name in names:
        # Tasks write Parquet alone, and Spark, which writes ORC, knows no time of day.
        poison = [NestedField(9, "time_of_day", TimeType())] if name == names[POISONED] else []
        lab.catalog.create_table(
            f"streaming.{name}",
            Schema(*SCHEMA.fields, *poison),
            properties={"write.format.default": "orc"} if poison else {},
        )
    worker = lab.start(
        1,
        {
            "topics": "",
            "topics.regex": f"{lab.topic}-.*",
            "iceberg.tables": "",
            "frazil.tables.route": "streaming.${topic}",
            "errors.tolerance": "all",
        },
    )
    healthy = [name for name in names if name != names[POISONED]]
    # Again to the poisoned one and some others, which are as fresh as before.
    rounds = {1: names, 2: names[: POISONED + 3]}
    for number, written in rounds.items():
        for name in written:
            lab.produce([number], partitions=1, topic=name)
        wait_until(
            "every other topic's row",
            partial(_have_rows, lab, set(healthy) & set(written), number),
            every=1,
        )
    assert worker.is_running()
    assert worker.status is not None
    states = {name: table.state for name, table in worker.status.tables.items()}
    failed = [name for name, state in states.items() if state is TableState.FAILED]
    assert failed == [f"streaming.{names[POISONED]}"]
    poisoned = worker.status.tables[failed[0]]
    assert "that Spark cannot write" in (poisoned.trace or "")
    assert poisoned.behind
    assert all(lab.ids(name) == [1, 2] for name in healthy[:5])


def test_a_backlog_over_a_thousand_table_partitions_needs_no_more_memory(lab: Lab) -> None:
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "bucket", StringType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "bucket"))
    lab.catalog.create_table("streaming.rows", schema, partition_spec=spec)
    lab.produce(range(RECORDS), buckets=TABLE_PARTITIONS)
    lab.start(1, {"frazil.driver.memory": "512m"})
    wait_until("all rows visible", lambda: lab.rows() == RECORDS)
    assert lab.ids() == list(range(RECORDS))
    assert lab.table.inspect.partitions().num_rows == TABLE_PARTITIONS
    assert len(lab.ledgers()) == 1


def test_records_of_sixteen_megabytes_are_rows_and_letters(lab: Lab) -> None:
    lab.catalog.create_table("streaming.rows", SCHEMA)
    topic = f"{lab.topic}-huge"
    wide = {"max.message.bytes": str(LARGEST)}
    lab.ask_admin(lambda admin: admin.create_topics([NewTopic(topic, 1, 1, topic_configs=wide)]))
    good = b'{"id": %d, "bucket": "' + b"x" * HUGE + b'"}'
    values = [good % 1, b"y" * HUGE, good % 2, b'{"id": 3}']
    lab.produce_raw(values, partitions=1, topic=topic)
    worker = lab.start(
        1,
        {
            "topics": topic,
            "errors.tolerance": "all",
            "frazil.dead.letters.table": "streaming.dead",
            "frazil.driver.memory": "1g",
            "consumer.override.max.partition.fetch.bytes": str(LARGEST),
        },
    )
    wait_until("all rows visible", lambda: lab.rows() == 3 or not worker.is_alive())
    assert lab.ids() == [1, 2, 3], worker.trace
    (letter,) = lab.catalog.load_table("streaming.dead").scan().to_arrow()["value"].to_pylist()
    assert letter == values[1]
