"""Read the route of JSON records, and nothing else of them."""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, Final

import msgspec

from frazil.spark_sink.records.errors import RouteError
from frazil.spark_sink.records.routes import Names, Route, names_of
from frazil.spark_sink.tasks.json_types import REFUSED


class Odd(Enum):
    """The plain functions decide."""

    ODD = "odd"


ODD: Final = Odd.ODD
Peek = Callable[[bytes | None], "str | Odd | None"]


class TablePeek:
    """Tells records apart by the table that they name, where one field alone names it."""

    def __init__(self, peek: Peek, names: Names) -> None:
        self._peek = peek
        self._names = names

    @classmethod
    def of(cls, route: Route | None) -> "TablePeek | None":
        """Compile a route, or return None if it takes more than a look at one field."""
        peek = route_peek(route.field) if route and route.field else None
        return None if peek is None or route is None else cls(peek, names_of(route))

    def tables(self, values: Iterable[bytes | None]) -> dict[str | None, list[int]]:
        """Return the positions of records by table; None has those of no, many or odd names."""
        found: dict[str | Odd | None, list[int]] = {}
        for index, text in enumerate(map(self._peek, values)):
            found.setdefault(text, []).append(index)
        tables: dict[str | None, list[int]] = {}
        for text, indices in found.items():
            tables.setdefault(self._table(text), []).extend(indices)
        return tables

    def _table(self, text: str | Odd | None) -> str | None:
        if not isinstance(text, str):
            return None
        try:
            names = self._names(text)
        except RouteError:
            return None
        return names[0] if len(names) == 1 else None


def route_peek(path: Sequence[str]) -> Peek | None:
    """Compile a function that returns the text at a path, or None if there is none.

    What else the record has is skipped without a look: it may not be JSON. Return None for names
    that typed decoding cannot serve.
    """
    kind: Any = str
    try:
        for name in reversed(path):
            fields = [("inside", kind | None, None)]
            kind = msgspec.defstruct("Route", fields, rename={"inside": name}, gc=False)
    except ValueError:
        return None
    decode = msgspec.json.Decoder(kind).decode
    depth = len(path)

    def peek(value: Any) -> str | Odd | None:
        try:
            node = decode(value)
        except REFUSED:
            return ODD
        for _ in range(depth):
            if node is None:
                return None
            node = node.inside
        return node  # type: ignore[no-any-return]

    return peek
