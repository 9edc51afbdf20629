"""Commits of one driver: to each of its stores, behind the ledger that the driver found there."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets, each
from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.core.coverage import carried, claimed, common, covered, is_behind, range_of
from frazil.spark_sink.core.judge import Claim, Verdict
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import (
    TopicFacts,
    first_position,
    next_position,
    rewound_position,
)
from frazil.spark_sink.counts import BatchCounts
from frazil.spark_sink.store import Store
from frazil.worker.errors import RolledBackError, SupersededError
from frazil.worker.job import StreamMovedError

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

    Once it is committed, all records that are older than `valid_through` are there.
    """

    span: BatchRange
    settled: Offsets
    valid_through: datetime | None = None
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
        self.covered = covered(self.ledger, driver.topics, driver.config.rewind)
        self.is_rolled_back = False
        lost = store.lost()
        if lost is not None:
            self._accept_loss(lost)

    def _accept_loss(self, lost: Ledger) -> None:
        """Go on in a store that was rolled back, if a person has said how."""
        choice = self._driver.config.on_data_loss
        if choice == "fail":
            raise self._rolled_back()
        if choice == "latest":
            self.covered = covered(lost, self._driver.topics, self._driver.config.rewind)
        else:
            self.is_rolled_back = True

    def _rolled_back(self) -> RolledBackError:
        return RolledBackError(
            f"What this connector had written to {self.store.name} was taken back. To write it "
            "again set frazil.on.data.loss to `earliest`, to leave it out to `latest`, then "
            "restart."
        )

    def needed(self, part: DataFrame, start: Offsets) -> DataFrame:
        """Leave out what the store has already, if it has more than all before the batch."""
        for topic, partition, offset in each(self.covered):
            if offset > start.get(topic, {}).get(partition, 0):
                place = (fn.col("topic") == topic) & (fn.col("partition") == partition)
                part = part.where(~place | (fn.col("offset") >= offset))
        return part

    def claim(self, span: BatchRange, position: Offsets) -> None:
        """Put our epoch into the store, so that older drivers stop."""
        self._append([], Batch(span, settled=position), BatchCounts.nothing())

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
        span = carried(self.ledger, batch.span, config.rewind)
        batch = replace(batch, span=span)
        claim = Claim(config.epoch, self._driver.run, self.ledger, span.start, span.end)
        ledger = self._driver.ledger(self.ledger, batch, counts, self.redrive)
        verdict = self.store.append(files, ledger, claim)
        if verdict in (Verdict.APPEND, Verdict.ALREADY_DONE):
            self.ledger, self.covered = ledger, covered(ledger, topics, config.rewind)
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


def take_position(
    driver: Driver, committers: Sequence[Committer], *, of_all: bool, hint: Ledger | None = None
) -> Offsets:
    """Find where to begin, and put our epoch into the stores so that older drivers stop.

    `of_all` tells that these are all stores that may be written; `hint` says how far the connector
    has got where the stores cannot, for records name them.
    """
    wish = driver.config.rewind
    reached = _reached(driver, committers, of_all=of_all) or hint
    ledgers = [one.ledger for one in committers if one.ledger is not None]
    moved = wish is not None and (
        reached is None or any(is_behind(ledger, wish) for ledger in ledgers)
    )
    position = _position(driver, reached, moved=moved)
    # One that was rolled back comes last: until then a new start finds it so again.
    for one in sorted(committers, key=lambda one: one.is_rolled_back):
        behind = moved and (one.ledger is None or is_behind(one.ledger, wish))
        older = one.ledger is not None and one.ledger.epoch < driver.config.epoch
        if behind or older or one.is_rolled_back:
            # In the store before it is acted upon: a rewind must not happen twice.
            goes_on = reached if behind or not moved or reached is None else _at(reached, position)
            one.claim(claimed(one.covered, goes_on, position), position)
    return position


def _reached(driver: Driver, committers: Sequence[Committer], *, of_all: bool) -> Ledger | None:
    """Return how far all stores have got; those that were rolled back decide, if there are any."""
    rolled_back = [one.ledger for one in committers if one.is_rolled_back]
    asked = rolled_back or [one.ledger for one in committers]
    found = [ledger for ledger in asked if ledger is not None]
    everywhere = of_all and len(found) == len(asked)
    if rolled_back:
        if not everywhere:
            return None
        found = [ledger.model_copy(update={"settled": {}}) for ledger in found]
    return common(found, driver.topics, of_all=everywhere)


def _position(driver: Driver, reached: Ledger | None, *, moved: bool) -> Offsets:
    config = driver.config
    if moved and config.rewind is not None:
        return rewound_position(
            reached,
            driver.topics,
            config.rewind,
            offset_reset=config.offset_reset,
            on_data_loss=config.on_data_loss,
        )
    if reached is None:
        return first_position(driver.topics, config.offset_reset)
    return next_position(reached, driver.topics, config.on_data_loss)


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max(filter(None, (one, other)), default=None)


def _at(ledger: Ledger, position: Offsets) -> Ledger:
    return ledger.model_copy(update={"end": position})
