"""Read the route of a JSON record, and nothing else of it."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final

import msgspec

from frazil.spark_sink.tasks.json_types import REFUSED


class Odd(Enum):
    """The plain functions decide."""

    ODD = "odd"


ODD: Final = Odd.ODD
RoutePeek = Callable[[bytes | None], "str | Odd | None"]


def route_peek(path: Sequence[str]) -> RoutePeek | None:
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
