"""Records that a sink must not swallow: one way to be bad at a time."""

from collections.abc import Callable
from enum import StrEnum
from random import Random

from frazil.log_generator.shapes.chance import pick
from frazil.log_generator.shapes.cluster import Record

_NESTED = ("callInfo", "trace", "requestClaims", "tags")


class Flaw(StrEnum):
    BROKEN_JSON = "broken-json"
    MISSING_TIME = "missing-time"
    WRONG_TYPE = "wrong-type"
    EMPTY_VALUE = "empty-value"


def flaws(rng: Random) -> Callable[[], Flaw]:
    return pick(rng, tuple(Flaw))


def spoil(record: Record, flaw: Flaw, encode: Callable[[Record], bytes]) -> bytes:
    """Encode a record with one flaw; the record itself stays as it is."""
    match flaw:
        case Flaw.EMPTY_VALUE:
            return b""
        case Flaw.BROKEN_JSON:
            text = encode(record)
            return text[: len(text) // 2]
        case Flaw.MISSING_TIME:
            return encode({name: value for name, value in record.items() if name != "time"})
        case Flaw.WRONG_TYPE:
            nested = next((name for name in _NESTED if name in record), "tags")
            return encode({**record, "time": True, nested: 42})
