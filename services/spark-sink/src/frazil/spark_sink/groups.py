"""Consumer groups, as a client outside of them sees them."""

from typing import Any

from pyspark.sql import SparkSession

from frazil.contracts.offsets import Offsets
from frazil.worker.bridge import jvm
from frazil.worker.kafka import Admin


class Groups:
    def __init__(self, spark: SparkSession, admin: Admin) -> None:
        self._options = jvm(spark).org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions
        self._admin = admin

    def offsets(self, group: str) -> Offsets:
        """Return how far a group says that it is; nothing if it does not exist.

        Offsets of a transaction that is open are waited for: they may become true any moment.
        """
        stable = self._options().requireStable(True)
        found = self._admin.ask(
            lambda: (
                self._admin.java.listConsumerGroupOffsets(group, stable)
                .partitionsToOffsetAndMetadata()
                .get()
            )
        )
        offsets: Offsets = {}
        for entry, position in found.items():
            if position is not None:
                offsets.setdefault(entry.topic(), {})[entry.partition()] = int(position.offset())
        return offsets

    def has_members(self, group: str) -> bool:
        described: Any = self._admin.ask(
            lambda: (
                self._admin.java.describeConsumerGroups([group]).describedGroups().get(group).get()
            )
        )
        return len(described.members()) > 0
