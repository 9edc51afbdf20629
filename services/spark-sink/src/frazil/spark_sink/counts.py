"""What one batch contained, counted while it is written: no second pass over the records."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as fn

from frazil.spark_sink.columns import TOMBSTONE


@dataclass(frozen=True)
class BadRecord:
    topic: str
    partition: int
    offset: int
    reason: str


@dataclass(frozen=True)
class BatchCounts:
    consumed: int
    filtered: int
    dead: int
    first_dead: BadRecord | None
    min_time: datetime | None
    max_time: datetime | None

    @classmethod
    def nothing(cls) -> Self:
        return cls(consumed=0, filtered=0, dead=0, first_dead=None, min_time=None, max_time=None)

    @property
    def written(self) -> int:
        return self.consumed - self.filtered - self.dead


def observed(parsed: DataFrame, fault: Column) -> tuple[DataFrame, Observation]:
    observation = Observation()
    return parsed.observe(observation, *_measures(fault)), observation


def _measures(fault: Column) -> list[Column]:
    where = fn.struct("topic", "partition", "offset", fault.alias("reason"))
    return [
        fn.count(fn.lit(1)).alias("consumed"),
        fn.count(fn.when(fn.col(TOMBSTONE), 1)).alias("filtered"),
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
    )


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else datetime.fromtimestamp(micros / 1_000_000, UTC)
