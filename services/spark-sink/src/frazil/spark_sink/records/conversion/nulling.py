"""Values that policies take out of a row: reported, or rescued as JSON beside it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from frazil.spark_sink.records.conversion.texts import json_text
from frazil.spark_sink.records.errors import MisfitError

_INSIDE = frozenset(["element", "key", "value"])


class Nulled(NamedTuple):
    """A value that is null in the row, and why; its policy may rescue it."""

    misfit: MisfitError
    value: Any
    is_rescued: bool = False


class NulledRow(tuple[Any, ...]):
    """A row in which policies put null for values; `nulled` says where and why."""

    nulled: tuple[MisfitError, ...]

    def __new__(cls, values: Sequence[Any], nulled: Sequence[Nulled] = ()) -> "NulledRow":
        row = super().__new__(cls, values)
        row.nulled = tuple(value.misfit for value in nulled)
        return row


def rescued_json(nulled: Sequence[Nulled]) -> str:
    """Write values as a JSON object by paths.

    Inside of lists and maps a path stands for many values, so there it has a list of them.
    """
    rescued: dict[str, Any] = {}
    for misfit, value, _ in nulled:
        path = ".".join(misfit.path)
        if _INSIDE.isdisjoint(misfit.path):
            rescued[path] = value
        else:
            rescued.setdefault(path, []).append(value)
    return json_text(rescued)
