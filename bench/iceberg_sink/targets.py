"""What the figures are meant to be, on two cores."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A bound of our figure, or of its ratio to the genuine sink's."""

    bound: float
    at_least: bool = False
    of_ratio: bool = True

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}{'' if self.of_ratio else ' (ours)'}"

    def is_met(self, ours: float | None, ratio: float | None) -> bool | None:
        """Return None if there is nothing to judge."""
        value = ratio if self.of_ratio else ours
        if value is None:
            return None
        return value >= self.bound if self.at_least else value <= self.bound


def _at_least(ratio: float) -> Target:
    return Target(ratio, at_least=True)


# By case and figure.
TARGETS: Mapping[tuple[str, str], Target] = {
    ("wide", "rate"): _at_least(2.0),
    ("wide", "sustained"): _at_least(2.5),
    ("wide", "cpu"): Target(0.8),
    ("wide", "warm_cpu"): Target(0.5),
    ("wide", "peak_mb"): Target(0.4),
    ("narrow", "rate"): _at_least(3.0),
    ("narrow", "cpu"): Target(0.5),
    ("narrow", "peak_mb"): Target(0.4),
    ("fields", "rate"): _at_least(2.0),
    ("fields", "cpu"): Target(0.6),
    ("fields", "peak_mb"): Target(0.4),
    ("transforms", "warm_cpu"): Target(1.0),
    ("odd", "of_clean"): Target(0.8, at_least=True, of_ratio=False),
    ("tables", "batch_s"): Target(3.0, of_ratio=False),
    ("trickle", "cores"): Target(0.8),
    ("trickle", "age_p50"): Target(1.0),
    ("trickle", "age_p99"): Target(1.0),
    ("start", "backlog_s"): Target(0.8),
    ("start", "few_s"): Target(5.0, of_ratio=False),
    ("start", "standby_few_s"): Target(2.0, of_ratio=False),
}
