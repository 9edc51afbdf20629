"""The control topic: what was committed, for those who start jobs of their own from it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from pyspark.sql import SparkSession

from frazil.contracts.assignment import Assignment
from frazil.contracts.naming import consumer_group
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.commit_keys import CONTROL_EVENTS, CONTROL_TOPIC, TRANSACTION_PREFIX
from frazil.spark_sink.core.events import Published, events_of
from frazil.worker.connector import kafka_properties
from frazil.worker.jvm_errors import java_errors_as
from frazil.worker.kafka import Admin
from frazil.worker.new_topic import NewTopic
from frazil.worker.topics import Topics
from frazil.worker.transactions import TransactionalProducer, transaction_error


@dataclass(frozen=True)
class EventKeys:
    """Where events go, and from whom they are."""

    topic: str
    kafka: dict[str, str]
    connector: str
    epoch: int
    transactional_id: str


def event_keys(assignment: Assignment, config: ParsedConfig) -> EventKeys | None:
    if not config[CONTROL_EVENTS]:
        return None
    return EventKeys(
        topic=config[CONTROL_TOPIC],
        kafka=kafka_properties(assignment, config, "iceberg.kafka."),
        connector=assignment.connector,
        epoch=assignment.epoch,
        transactional_id=f"{config[TRANSACTION_PREFIX]}frazil-events-{assignment.connector}",
    )


class ControlTopic:
    """All events of a batch in one transaction, each at least once: their ids tell a second one."""

    def __init__(self, spark: SparkSession, keys: EventKeys) -> None:
        self._keys = keys
        # Tables are opened on several threads, and a producer has one transaction at a time.
        self._turn = threading.Lock()
        admin = Admin(spark, keys.kafka, keys.connector)
        try:
            Topics(spark, admin).require(NewTopic(keys.topic, partitions=1))
        finally:
            admin.close()
        self._meaning = partial(
            transaction_error,
            connector=keys.connector,
            epoch=keys.epoch,
            servers=keys.kafka["bootstrap.servers"],
        )
        with java_errors_as(self._meaning):
            self._producer = TransactionalProducer(
                spark, keys.kafka, name=keys.transactional_id, values="ByteArray"
            )

    def tell(self, batch: Sequence[Published]) -> None:
        group = consumer_group(self._keys.connector)
        events = events_of(batch, group=group, now=datetime.now(UTC))
        if not events:
            return
        with (
            self._turn,
            java_errors_as(self._meaning),
            self._producer.transaction() as transaction,
        ):
            for event in events:
                # One key for all, so that they stay in order.
                transaction.send(self._producer.record(self._keys.topic, group, event))

    def close(self) -> None:
        self._producer.close()
