"""Requests that were answered once and are not to be obeyed again. Pure: the time is given.

Signatures have a resolution of a second, and clients send a request again as it is when they got
no answer or one that asked them to. So an exact copy is refused only if the first was answered for
good and a while ago: whoever means it twice has signed it twice by then.
"""

from datetime import datetime, timedelta

from frazil.table_catalog.core.errors import ForbiddenError, Reason
from frazil.table_catalog.core.sigv4 import SKEW

GRACE = timedelta(seconds=5)
_TRY_AGAIN = 429
_UNKNOWN_OUTCOME = 500


class Replays:
    """Remembers signatures for as long as their dates are good, and the last `most` of them."""

    def __init__(self, most: int = 100_000) -> None:
        self._answered: dict[str, datetime] = {}
        self._most = most

    def refuse_late_copy(self, signature: str, now: datetime) -> None:
        answered = self._answered.get(signature)
        if answered is not None and now - answered > GRACE:
            raise ForbiddenError(
                "the request is a copy of one that was answered before", Reason.COPY
            )

    def answered(self, signature: str, status: int, *, now: datetime) -> None:
        if status == _TRY_AGAIN or status >= _UNKNOWN_OUTCOME:
            return
        self._answered.setdefault(signature, now)
        self._forget(now)

    def _forget(self, now: datetime) -> None:
        # The oldest come first; a date may lie ahead of now by as much as it may lie behind.
        while self._answered:
            oldest = next(iter(self._answered))
            if len(self._answered) <= self._most and now - self._answered[oldest] <= 2 * SKEW:
                return
            del self._answered[oldest]
