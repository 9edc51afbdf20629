"""What one batch contained, counted while it is written: no second pass over the records."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as fn

DROPPED = "dropped"
_MOST_WATCHED = 100


@dataclass(frozen=True)
class BadRecord:
    topic: str
    partition: int
    offset: int
    reason: str


@dataclass(frozen=True)
class BatchCounts:
    """`misfits` did not fit at first sight; they may be rows all the same."""

    consumed: int
    filtered: int
    dead: int
    first_dead: BadRecord | None
    min_time: datetime | None
    max_time: datetime | None
    valid_through: datetime | None
    misfits: int = 0

    @classmethod
    def nothing(cls) -> Self:
        return cls(0, 0, 0, first_dead=None, min_time=None, max_time=None, valid_through=None)

    @property
    def written(self) -> int:
        return self.consumed - self.filtered - self.dead

    def after(self, filtered: Self) -> Self:
        """Count an earlier batch too, of which nothing was left."""
        times = [time for one in (filtered, self) for time in (one.min_time, one.max_time) if time]
        return replace(
            self,
            consumed=self.consumed + filtered.consumed,
            filtered=self.filtered + filtered.filtered,
            min_time=min(times, default=None),
            max_time=max(times, default=None),
            valid_through=self.valid_through or filtered.valid_through,
        )


def observed(
    parsed: DataFrame,
    fault: Column,
    partitions: Sequence[tuple[str, int]],
    *,
    misfit: Column | None = None,
) -> tuple[DataFrame, Observation]:
    observation = Observation()
    # Each is asked of every record; a topic with very many goes without a watermark.
    watched = partitions if len(partitions) <= _MOST_WATCHED else ()
    newest = [
        fn.unix_micros(fn.max(fn.when(_is_from(topic, partition), fn.col("timestamp"))))
        for topic, partition in watched
    ]
    watermarks = fn.array(*newest).alias("watermarks")
    misfits = fn.count(fn.lit(None) if misfit is None else misfit).alias("misfits")
    return parsed.observe(observation, *_measures(fault), misfits, watermarks), observation


def _is_from(topic: str, partition: int) -> Column:
    return (fn.col("topic") == topic) & (fn.col("partition") == partition)


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
    first_dead = found["first_dead"]
    return BatchCounts(
        consumed=found["consumed"],
        filtered=found["filtered"],
        dead=found["dead"],
        first_dead=None if first_dead is None else BadRecord(*first_dead),
        min_time=_moment(found["min_time"]),
        max_time=_moment(found["max_time"]),
        valid_through=valid_through(found["watermarks"]),
        misfits=found["misfits"],
    )


def valid_through(watermarks: Sequence[int | None]) -> datetime | None:
    """Return the time up to which all is there, as Kafka Connect's sinks understand it.

    The oldest of the partitions' newest records; unknown while a partition had none.
    """
    known = [micros for micros in watermarks if micros is not None]
    return _moment(min(known)) if known and len(known) == len(watermarks) else None


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else datetime.fromtimestamp(micros / 1_000_000, UTC)
