"""Which operation comes next, on which object, of which size. Pure: the dice are the caller's."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TypeVar

from frazil.log_generator.shapes.chance import weighted, zipf

_Item = TypeVar("_Item")
# Names come from a small fixed set and not from a counter: whatever fails, and however often the
# process starts anew, a bucket never holds more.
KEYS_A_BUCKET = 100
_KEYS = tuple(f"generated/{number:04}" for number in range(KEYS_A_BUCKET))
_MISSING_KEY = "generated/never-written"
_MISSING_BUCKET = "frazil-never-made"


class Operation(StrEnum):
    PUT = "put"
    GET = "get"
    HEAD = "head"
    MULTIPART = "multipart"
    LIST = "list"
    DELETE = "delete"
    WRONG_CREDENTIALS = "wrong-credentials"
    MISSING_KEY = "missing-key"
    MISSING_BUCKET = "missing-bucket"


class Outcome(StrEnum):
    OK = "ok"
    DENIED = "denied"
    MISSING = "missing"
    REFUSED = "refused"
    FAILED = "failed"


_WRITING = {Operation.PUT, Operation.MULTIPART}
_OF_WRITTEN = {Operation.GET, Operation.HEAD, Operation.DELETE}
_NEEDS_BUCKET_ONLY = {*_WRITING, Operation.LIST, Operation.DELETE}


@dataclass(frozen=True)
class Call:
    """One operation; `size` is that of the body, or of the last part of several."""

    operation: Operation
    bucket: str
    key: str
    size: int = 0

    def lacks_bucket(self, outcome: Outcome) -> bool:
        return outcome is Outcome.MISSING and self.operation in _NEEDS_BUCKET_ONLY


class Calls:
    """An endless series of calls, which knows what has been written so far."""

    def __init__(
        self,
        rng: Random,
        *,
        mix: Mapping[Operation, float],
        sizes: Mapping[int, float],
        buckets: Sequence[str],
    ) -> None:
        self.buckets = tuple(buckets)
        self._rng = rng
        self._operation = weighted(rng, _wanted(mix))
        self._size = weighted(rng, _wanted(sizes))
        self._bucket = weighted(rng, zipf(self.buckets))
        # Dicts as sets: the order of a set changes from process to process, and so would a seed's.
        self._written: dict[str, dict[str, None]] = {bucket: {} for bucket in self.buckets}

    def next(self) -> Call:
        operation, bucket = self._operation(), self._bucket()
        written = self._written[bucket]
        if operation in _OF_WRITTEN and not written:
            operation = Operation.PUT
        if operation in _WRITING:
            return Call(operation, bucket, self._rng.choice(_KEYS), self._size())
        if operation is Operation.MISSING_BUCKET:
            return Call(operation, _MISSING_BUCKET, "")
        if operation is Operation.MISSING_KEY:
            return Call(operation, bucket, _MISSING_KEY)
        key = self._rng.choice(tuple(written) or _KEYS)
        if operation is Operation.DELETE:
            # Already now, so that no other call takes it while this one is under way.
            del written[key]
        return Call(operation, bucket, key)

    def learn(self, call: Call, outcome: Outcome) -> None:
        """Remember what was written; forget what somebody else has taken away."""
        if call.operation in _WRITING and outcome is Outcome.OK:
            self._written[call.bucket][call.key] = None
        elif call.operation in _OF_WRITTEN and outcome is Outcome.MISSING:
            self._written[call.bucket].pop(call.key, None)


def _wanted(weights: Mapping[_Item, float]) -> Iterable[tuple[_Item, float]]:
    return [(item, weight) for item, weight in weights.items() if weight > 0]
