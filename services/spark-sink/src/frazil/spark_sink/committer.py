"""Commits of one driver: to each of its stores, behind the ledger that the driver found there."""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets, each
from frazil.runtime.logs import get_logger
from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.core.coverage import carried, covered, range_of, undoes
from frazil.spark_sink.core.judge import Claim, Verdict
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts, wished
from frazil.spark_sink.core.undoing import Undoing
from frazil.spark_sink.counts import BatchCounts
from frazil.spark_sink.store import Store
from frazil.worker.errors import RolledBackError, SupersededError
from frazil.worker.job import StreamMovedError

log = get_logger(__name__)

# How long a ledger without rows may wait, from one to the next of them: a connector that reads the
# log of its own store would otherwise feed itself with what its commits cause, and filters out.
_SHORTEST_WAIT = 10.0
_LONGEST_WAIT = 600.0


@dataclass(frozen=True)
class Driver:
    """One start of a connector's stream, and the topics as it found them."""

    config: SinkConfig
    cluster_id: str
    topics: Mapping[str, TopicFacts]
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    ledger_name: str | None = None

    @property
    def topic_ids(self) -> dict[str, str]:
        return {name: facts.topic_id for name, facts in self.topics.items()}

    def named(self, ledger_name: str) -> "Driver":
        """Return the same driver with ledgers of another name."""
        return replace(self, ledger_name=ledger_name)

    def ledger(
        self, before: Ledger | None, batch: "Batch", counts: BatchCounts, redrive: int
    ) -> Ledger:
        known, wanted = before.rewind if before else 0, self.config.rewind
        return Ledger(
            connector=self.ledger_name or self.config.connector,
            epoch=self.config.epoch,
            run=self.run,
            commit_id=batch.commit_id,
            cluster_id=self.cluster_id,
            topic_ids={**(before.topic_ids if before else {}), **self.topic_ids},
            start=batch.span.start,
            end=batch.span.end,
            settled=batch.settled,
            rewind=max(known, wanted.number if wanted else 0),
            fences=before.fences if before else {},
            redrive=redrive,
            redriven=counts.redriven,
            nulled=counts.nulled,
            undone=batch.undone,
            consumed=counts.consumed,
            written=counts.written,
            filtered=counts.filtered,
            dead=counts.dead,
            min_time=counts.min_time,
            max_time=counts.max_time,
            valid_through=_later(before.valid_through if before else None, batch.valid_through),
        )


@dataclass(frozen=True)
class Batch:
    """Offsets of one batch; `settled` is before which all is in every store.

    Once it is committed, all records that are older than `valid_through` are there, and that many
    of the commits before it are `undone`.
    """

    span: BatchRange
    settled: Offsets
    valid_through: datetime | None = None
    undone: int = 0
    commit_id: str = field(default_factory=lambda: str(uuid.uuid4()))


class Committer:
    """One driver's hold on one store."""

    def __init__(
        self, driver: Driver, store: Store, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.store = store
        self._driver = driver
        self._clock = clock
        self._untold: tuple[Batch, BatchCounts] | None = None
        self._wait = 0.0
        self._due = clock()
        self.ledger = store.ledger()
        self.redrive = self.ledger.redrive if self.ledger else 0
        self._require_newest(self.ledger)
        self.undoing = self._undoing()
        self.covered = covered(self.standing, driver.topics, driver.config.rewind)
        self.is_rolled_back = False
        lost = store.lost()
        if lost is not None:
            self._accept_loss(lost)

    @property
    def standing(self) -> Ledger | None:
        """The newest ledger, or what it will say once the commits that are to be undone are."""
        return self.undoing.ledger if self.undoing else self.ledger

    def _undoing(self) -> Undoing | None:
        """Plan what a rewind takes back, and touch nothing: another store may refuse."""
        config, topics = self._driver.config, self._driver.topics
        if config.rewind is None or not undoes(self.ledger, config.rewind):
            return None
        rules = {"offset_reset": config.offset_reset, "on_data_loss": config.on_data_loss}
        return self.store.undoing(wished(topics, config.rewind, **rules), topics)

    def _accept_loss(self, lost: Ledger) -> None:
        """Go on in a store that was rolled back, if a person has said how."""
        config = self._driver.config
        if config.on_data_loss == "fail":
            raise self._rolled_back()
        if config.on_data_loss == "earliest":
            self.is_rolled_back = True
        elif not undoes(self.ledger, config.rewind):
            self.covered = covered(lost, self._driver.topics, config.rewind)

    def _rolled_back(self) -> RolledBackError:
        return RolledBackError(
            f"What this connector had written to {self.store.name} was taken back. To write it "
            "again set frazil.on.data.loss to `earliest`, to leave it out to `latest`, then "
            "restart."
        )

    def beyond(self, start: Offsets) -> Offsets:
        """Return up to where the store has more than all before the batch."""
        ahead: Offsets = {}
        for topic, partition, offset in each(self.covered):
            if offset > start.get(topic, {}).get(partition, 0):
                ahead.setdefault(topic, {})[partition] = offset
        return ahead

    def needed(self, part: DataFrame, start: Offsets) -> DataFrame:
        """Leave out what the store has already."""
        for topic, partition, offset in each(self.beyond(start)):
            place = (fn.col("topic") == topic) & (fn.col("partition") == partition)
            part = part.where(~place | (fn.col("offset") >= offset))
        return part

    def claim(self, span: BatchRange, position: Offsets) -> None:
        """Put our epoch into the store, so that older drivers stop, and undo what is to be."""
        files = [self.undoing] if self.undoing else []
        undone = len(self.undoing.commits) if self.undoing else 0
        batch = Batch(span, settled=position, undone=undone)
        self._append(files, batch, BatchCounts.nothing())
        if undone:
            log.info("commits_undone", store=self.store.name, commits=undone, goes_on=span.end)

    def put_back(self, files: list[Any], found: BatchCounts, number: int) -> None:
        """Put rows of dead letters into the store, whose offsets stay where they are."""
        self.redrive = number
        if not found.written:
            return
        # Offsets do not tell this commit from the one before, so a run of its own has to.
        self._driver = replace(self._driver, run=uuid.uuid4().hex)
        end, settled = (self.ledger.end, self.ledger.settled) if self.ledger else ({}, {})
        counts = replace(BatchCounts.nothing(), redriven=found.written, nulled=found.nulled)
        self._append(files, Batch(BatchRange(end, end), settled), counts)

    def commit(self, files: list[Any], batch: Batch, counts: BatchCounts) -> bool:
        """Put files and ledger into the store, or delete the files and say what is in the way.

        False if all was filtered out and the ledger waits for rows, or until it is due.
        """
        if self._untold is not None:
            counts = counts.after(self._untold[1])
        if files or counts.dead or self._clock() >= self._due:
            self._tell(files, batch, counts)
            return True
        self._untold = (batch, counts)
        return False

    def tell_if_due(self) -> bool:
        """Commit a ledger that has waited for rows in vain; False if there is none."""
        if self._untold is None or self._clock() < self._due:
            return False
        self._tell([], *self._untold)
        return True

    def _tell(self, files: list[Any], batch: Batch, counts: BatchCounts) -> None:
        self._append(files, replace(batch, span=range_of(self.covered, batch.span)), counts)
        self._untold = None
        is_more = counts.written or counts.dead
        self._wait = 0 if is_more else min(max(2 * self._wait, _SHORTEST_WAIT), _LONGEST_WAIT)
        self._due = self._clock() + self._wait

    def _append(self, files: list[Any], batch: Batch, counts: BatchCounts) -> None:
        config, topics = self._driver.config, self._driver.topics
        span = carried(self.standing, batch.span, config.rewind)
        batch = replace(batch, span=span)
        claim = Claim(config.epoch, self._driver.run, self.ledger, span.start, span.end)
        ledger = self._driver.ledger(self.standing, batch, counts, self.redrive)
        verdict = self.store.append(files, ledger, claim)
        if verdict in (Verdict.APPEND, Verdict.ALREADY_DONE):
            self.ledger, self.covered = ledger, covered(ledger, topics, config.rewind)
            self.undoing = None
            return
        self.store.delete_files(files)
        self.check_fence()
        if verdict is Verdict.ROLLED_BACK:
            raise self._rolled_back()
        raise StreamMovedError("another driver of this connector has committed in between")

    def check_fence(self) -> None:
        """Raise SupersededError if a newer driver has taken over the store."""
        self._require_newest(self.store.ledger())

    def _require_newest(self, found: Ledger | None) -> None:
        config = self._driver.config
        if found is not None and found.epoch > config.epoch:
            raise SupersededError(
                f"A newer driver of connector {config.connector} (epoch {found.epoch}) has "
                f"taken over {self.store.name}; this one (epoch {config.epoch}) has stopped."
            )


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max(filter(None, (one, other)), default=None)
