"""What the demo reports of each table, as arithmetic on plain data."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TableReport:
    """`duplicates` counts rows whose request id another row has too; `ages` are in seconds."""

    table: str
    produced: int
    visible: int
    duplicates: int
    files: int
    ages: Sequence[float]

    @property
    def is_exact(self) -> bool:
        return self.produced == self.visible and self.duplicates == 0

    def cells(self) -> tuple[str, ...]:
        return (
            self.table,
            f"{self.produced:,}",
            f"{self.visible:,}",
            f"{self.duplicates:,}",
            seconds(percentile(self.ages, 0.50)),
            seconds(percentile(self.ages, 0.99)),
            f"{self.files:,}",
        )


EXACT = "[green]Exact: every table shows what was produced, and nothing twice.[/]"
NOT_EXACT = "[red]Not exact: see the numbers above.[/]"
COLUMNS = ("table", "produced", "visible", "duplicates", "fresh p50", "fresh p99", "files")


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that at least this share of all do not exceed."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} s"
