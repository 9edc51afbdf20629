"""How long calls took, as the benchmarks of the APIs tell it."""

from dataclasses import dataclass, field

from frazil.cli.report import percentile


@dataclass
class Times:
    """In seconds; told in milliseconds."""

    all: list[float] = field(default_factory=list)

    def add(self, seconds: float) -> None:
        self.all.append(seconds)

    @property
    def p50(self) -> float:
        return 1000 * (percentile(self.all, 0.50) or 0.0)

    @property
    def p99(self) -> float:
        return 1000 * (percentile(self.all, 0.99) or 0.0)

    @property
    def longest(self) -> float:
        return 1000 * max(self.all)
