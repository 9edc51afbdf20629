"""Both sinks side by side: medians of the rounds, ratios, and targets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.iceberg_sink.cases import Case
from bench.iceberg_sink.figures import FIGURES, Figure
from bench.iceberg_sink.results import Run
from bench.iceberg_sink.targets import TARGETS, Target

COLUMNS = ("case", "figure", "Frazil", "Connect", "ratio", "target", "met")
_WORDS = {True: "yes", False: "no", None: "-"}
_OF_CLEAN = Figure("of_clean", "sustained, of the clean rate", "{:.2f}", lambda share: share)


@dataclass(frozen=True)
class Line:
    """One figure of both sinks, in each round in which it could be measured."""

    case: str
    figure: Figure
    ours: Sequence[float]
    genuine: Sequence[float]

    @property
    def medians(self) -> tuple[float | None, float | None]:
        return _median(self.ours), _median(self.genuine)

    @property
    def ratio(self) -> float | None:
        ours, genuine = self.medians
        return ours / genuine if ours is not None and genuine else None

    @property
    def target(self) -> Target | None:
        return TARGETS.get((self.case, self.figure.key))

    @property
    def is_met(self) -> bool | None:
        return self.target.is_met(self.medians[0], self.ratio) if self.target else None

    def cells(self) -> tuple[str, ...]:
        ours, genuine = self.medians
        return (
            self.case,
            self.figure.title,
            _text(ours, self.figure.unit),
            _text(genuine, self.figure.unit),
            _text(self.ratio, "{:.2f}"),
            str(self.target or ""),
            _WORDS[self.is_met] if self.target else "",
        )

    def as_json(self) -> dict[str, Any]:
        ours, genuine = self.medians
        return {
            "case": self.case,
            "figure": self.figure.key,
            "title": self.figure.title,
            "ours": {"median": ours, "rounds": self.ours},
            "genuine": {"median": genuine, "rounds": self.genuine},
            "ratio": self.ratio,
            "target": str(self.target) if self.target else None,
            "met": self.is_met,
        }


def compare(case: Case, ours: Sequence[Run], genuine: Sequence[Run]) -> list[Line]:
    return [
        Line(case.name, figure, _values(figure, ours), _values(figure, genuine))
        for figure in FIGURES[case.kind]
    ]


def share_of_clean(lines: Sequence[Line]) -> Iterator[Line]:
    """Compare the rates of odd and clean records, if both were measured."""
    sustained = {line.case: line for line in lines if line.figure.key == "sustained"}
    if {"odd", "wide"} <= sustained.keys():
        odd, clean = sustained["odd"], sustained["wide"]
        yield Line(
            odd.case,
            _OF_CLEAN,
            _divided(odd.ours, clean.medians[0]),
            _divided(odd.genuine, clean.medians[1]),
        )


def _divided(rates: Sequence[float], whole: float | None) -> list[float]:
    return [rate / whole for rate in rates] if whole else []


def _values(figure: Figure, runs: Sequence[Run]) -> list[float]:
    values = [figure.of(run) for run in runs]
    return [value for value in values if value is not None]


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def _text(value: float | None, unit: str) -> str:
    return "-" if value is None else unit.format(value)
