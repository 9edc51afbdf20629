"""What a source's job asks of the module that reads from the outer world."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Offset = Mapping[str, Any]
"""A position in Connect's words; None: nothing was read yet."""


@dataclass(frozen=True)
class Batch:
    """Texts that belong into one transaction, and the position behind them."""

    texts: list[str]
    offset: Offset


class Reader(Protocol):
    """Positions are all that it may remember from one call to the next."""

    @property
    def partition(self) -> Mapping[str, Any]:
        """Name what is read, in Connect's words: positions are kept under it."""
        ...

    def read(self, offset: Offset | None) -> Batch | None:
        """Return what follows the position; None if there is nothing yet. Must not wait for it."""
        ...
