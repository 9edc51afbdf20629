"""What became of a batch, in all stores and in one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from frazil.contracts.offsets import Offsets
from frazil.contracts.worker_status import TableStatus
from frazil.spark_sink.counts import BadRecord, BatchCounts


@dataclass(frozen=True)
class Outcome:
    """`done` is before which all is in every store; `bytes` are those of the records, if known."""

    consumed: int
    commits: int
    counts: Mapping[str, BatchCounts]
    astray: int
    dead: int
    first_dead: BadRecord | None
    done: Offsets
    valid_through: datetime | None = None
    nulled: int = 0
    bytes: int = 0

    @property
    def written(self) -> int:
        return sum(counts.written for counts in self.counts.values())

    @property
    def newest(self) -> datetime | None:
        times = [counts.max_time for counts in self.counts.values() if counts.max_time]
        return max(times, default=None)


def with_commit(table: TableStatus, counts: BatchCounts) -> TableStatus:
    return table.model_copy(
        update={
            "commits": table.commits + 1,
            "records": table.records + counts.written,
            "dead": table.dead + counts.dead,
            "nulled": table.nulled + counts.nulled,
            "last_commit": datetime.now(UTC),
        }
    )
