"""A finding of the doctor: what is seen, its cause, and what to do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from frazil.cli.containers.facts import Facts


@dataclass(frozen=True)
class Finding:
    """`remedy` has commands to type, each in backticks, or says for how long to wait."""

    seen: str
    cause: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.seen}\n  cause:  {self.cause}\n  remedy: {self.remedy}"


Rule = Callable[[Facts], Iterator[Finding]]
