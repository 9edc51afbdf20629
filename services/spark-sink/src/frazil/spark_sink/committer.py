"""Commits the batches of one driver to its table, each behind the ledger that it follows."""

import uuid
from collections.abc import Mapping
from typing import Any

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.core.judge import Claim, Verdict
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts, first_position, next_position
from frazil.spark_sink.counts import BatchCounts
from frazil.spark_sink.table import SinkTable
from frazil.worker.errors import DataLossError, SupersededError
from frazil.worker.job import StreamMovedError


class Committer:
    """One driver's hold on one table, from the ledger it found there."""

    def __init__(
        self,
        config: SinkConfig,
        table: SinkTable,
        *,
        cluster_id: str,
        topics: Mapping[str, TopicFacts],
    ) -> None:
        self._config = config
        self._table = table
        self._cluster_id = cluster_id
        self._topics = topics
        self._run = uuid.uuid4().hex
        self._ledger = table.ledger()

    def take_position(self) -> Offsets:
        """Find where to begin, and put our epoch into the table so that older drivers stop."""
        if self._ledger is None:
            return first_position(self._topics, self._config.offset_reset)
        self._require_newest(self._ledger)
        position = next_position(self._ledger, self._topics, self._config.on_data_loss)
        if self._ledger.epoch < self._config.epoch:
            self.commit([], BatchRange(position, position), BatchCounts.nothing())
        return position

    def commit(self, files: list[Any], span: BatchRange, counts: BatchCounts) -> None:
        """Put files and ledger into the table, or delete the files and say what is in the way."""
        claim = Claim(self._config.epoch, self._run, self._ledger, span.start, span.end)
        ledger = self._next_ledger(span, counts)
        verdict = self._table.append(files, ledger, claim, self._config.control_topic)
        if verdict in (Verdict.APPEND, Verdict.ALREADY_DONE):
            self._ledger = ledger
            return
        self._table.delete_files(files)
        self.check_fence()
        if verdict is Verdict.ROLLED_BACK:
            raise DataLossError(
                f"Table {self._config.table} was rolled back behind what this connector had "
                "written. Restart the connector to write again from where the table is now."
            )
        raise StreamMovedError("another driver of this connector has committed in between")

    def check_fence(self) -> None:
        """Raise SupersededError if a newer driver has taken over the table."""
        found = self._table.ledger()
        if found is not None:
            self._require_newest(found)

    def _require_newest(self, found: Ledger) -> None:
        if found.epoch > self._config.epoch:
            raise SupersededError(
                f"A newer driver of connector {self._config.connector} (epoch {found.epoch}) has "
                f"taken over table {self._config.table}; this one (epoch {self._config.epoch}) "
                "has stopped."
            )

    def _next_ledger(self, span: BatchRange, counts: BatchCounts) -> Ledger:
        return Ledger(
            connector=self._config.connector,
            epoch=self._config.epoch,
            run=self._run,
            cluster_id=self._cluster_id,
            topic_ids={name: facts.topic_id for name, facts in self._topics.items()},
            start=span.start,
            end=span.end,
            consumed=counts.consumed,
            written=counts.written,
            filtered=counts.filtered,
            dead=counts.dead,
            min_time=counts.min_time,
            max_time=counts.max_time,
            valid_through=counts.valid_through,
        )
