"""What one batch contained, counted while it is written: no second pass over the records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from typing import Any, Self

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as fn

from frazil.spark_sink.core.watermark import MOST_WATCHED, Partition
from frazil.spark_sink.tasks.result import Counts, DeadLetter

DROPPED = "dropped"


@dataclass(frozen=True)
class BadRecord:
    topic: str
    partition: int
    offset: int
    reason: str


@dataclass(frozen=True)
class BatchCounts:
    """What became of the records of a batch, for one table.

    `newest` is the time of the newest record of each partition that had any. `redriven` are rows
    of dead letters, which were consumed long ago. `nulled` are rows without a value that they had,
    `first_stop` the first record that has to stop the connector.
    """

    consumed: int
    filtered: int
    dead: int
    first_dead: BadRecord | None
    min_time: datetime | None
    max_time: datetime | None
    newest: Mapping[Partition, datetime] = field(default_factory=dict)
    redriven: int = 0
    nulled: int = 0
    first_stop: BadRecord | None = None

    @classmethod
    def nothing(cls) -> Self:
        return cls(0, 0, 0, first_dead=None, min_time=None, max_time=None)

    @property
    def written(self) -> int:
        return self.consumed - self.filtered - self.dead

    @property
    def letters(self) -> int:
        return self.dead + self.nulled

    def after(self, filtered: Self) -> Self:
        """Count an earlier batch too, of which nothing was left."""
        times = [time for one in (filtered, self) for time in (one.min_time, one.max_time) if time]
        return replace(
            self,
            consumed=self.consumed + filtered.consumed,
            filtered=self.filtered + filtered.filtered,
            min_time=min(times, default=None),
            max_time=max(times, default=None),
        )


def observed(
    parsed: DataFrame, fault: Column, partitions: Sequence[Partition]
) -> tuple[DataFrame, Observation]:
    observation = Observation()
    # Each is asked of every record; of very many none is.
    watched = partitions if len(partitions) <= MOST_WATCHED else ()
    newest = fn.array(*(_newest(*partition) for partition in watched)).alias("newest")
    return parsed.observe(observation, *_measures(fault), newest), observation


def _newest(topic: str, number: int) -> Column:
    is_from = (fn.col("topic") == topic) & (fn.col("partition") == number)
    newest = fn.unix_micros(fn.max(fn.when(is_from, fn.col("timestamp"))))
    return fn.struct(fn.lit(topic), fn.lit(number), newest)


def _measures(fault: Column) -> list[Column]:
    where = fn.struct("topic", "partition", "offset", fault.alias("reason"))
    return [
        fn.count(fn.lit(1)).alias("consumed"),
        fn.count(fn.when(fn.col(DROPPED), 1)).alias("filtered"),
        fn.count(fault).alias("dead"),
        fn.min(fn.when(fault.isNotNull(), where)).alias("first_dead"),
        fn.unix_micros(fn.min("timestamp")).alias("min_time"),
        fn.unix_micros(fn.max("timestamp")).alias("max_time"),
    ]


def counts_of(observation: Observation) -> BatchCounts:
    """Wait for the action on the observed rows to end, and read what was counted."""
    found = observation.get
    return BatchCounts(
        consumed=found["consumed"],
        filtered=found["filtered"],
        dead=found["dead"],
        first_dead=_record(found["first_dead"]),
        min_time=_moment(found["min_time"]),
        max_time=_moment(found["max_time"]),
        newest=_newest_of(found["newest"]),
    )


def _record(found: Sequence[Any] | None) -> BadRecord | None:
    return None if found is None else BadRecord(*found)


def _newest_of(found: Sequence[Any]) -> dict[Partition, datetime]:
    known = ((topic, number, _moment(micros)) for topic, number, micros in found)
    return {(topic, number): moment for topic, number, moment in known if moment is not None}


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else datetime.fromtimestamp(micros / 1_000_000, UTC)


def batch_counts(
    counts: Counts, first_dead: DeadLetter | None, first_stop: DeadLetter | None
) -> BatchCounts:
    """Take over what tasks have counted."""
    return BatchCounts(
        consumed=counts.consumed,
        filtered=counts.filtered,
        dead=counts.dead,
        first_dead=bad_record(first_dead),
        min_time=_moment(_micros(counts.min_time)),
        max_time=_moment(_micros(counts.max_time)),
        newest=_newest_of([(*place, _micros(time)) for place, time in counts.newest.items()]),
        nulled=counts.nulled,
        first_stop=bad_record(first_stop),
    )


def sum_of(counts: Iterable[BatchCounts]) -> BatchCounts:
    """Sum up what parts of a batch had; times are left out."""
    return reduce(
        lambda one, other: replace(
            one,
            consumed=one.consumed + other.consumed,
            filtered=one.filtered + other.filtered,
            dead=one.dead + other.dead,
            nulled=one.nulled + other.nulled,
        ),
        counts,
    )


def bad_record(letter: DeadLetter | None) -> BadRecord | None:
    """Say in short which record was refused, and why."""
    return None if letter is None else BadRecord(*letter.place, letter.message)


def _micros(millis: int | None) -> int | None:
    return None if millis is None else millis * 1000
