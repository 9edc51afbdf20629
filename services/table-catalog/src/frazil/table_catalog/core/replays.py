"""Requests that were answered once and are not to be obeyed again. Pure: the time is given.

Signatures have a resolution of a second, and clients send a request again as it is when they got
no answer or one that asked them to. So an exact copy is refused only if the first was answered for
good and a while ago: whoever means it twice has signed it twice by then.
"""

from collections import defaultdict
from datetime import datetime, timedelta

from frazil.table_catalog.core.errors import ForbiddenError, Reason
from frazil.table_catalog.core.sigv4 import SKEW

GRACE = timedelta(seconds=5)
_TRY_AGAIN = 429
_UNKNOWN_OUTCOME = 500


class Replays:
    """Remembers signatures for as long as their dates are good, and at most a number of them.

    Who has sent the most gives up the oldest of his own: nobody pushes out those of others.
    """

    def __init__(self, most: int = 100_000) -> None:
        self._answered: defaultdict[str, dict[str, datetime]] = defaultdict(dict)
        self._number = 0
        self._most = most

    def refuse_late_copy(self, key_id: str, signature: str, now: datetime) -> None:
        answered = self._answered[key_id].get(signature)
        if answered is not None and now - answered > GRACE:
            raise ForbiddenError(
                "the request is a copy of one that was answered before", Reason.COPY
            )

    def answered(self, key_id: str, signature: str, status: int, *, now: datetime) -> None:
        if status == _TRY_AGAIN or status >= _UNKNOWN_OUTCOME:
            return
        own = self._answered[key_id]
        self._number += signature not in own
        own.setdefault(signature, now)
        # A date may lie ahead of now by as much as it may lie behind. The oldest come first.
        while own and now - next(iter(own.values())) > 2 * SKEW:
            self._drop_oldest(own)
        while self._number > self._most:
            self._drop_oldest(max(self._answered.values(), key=len))

    def _drop_oldest(self, own: dict[str, datetime]) -> None:
        del own[next(iter(own))]
        self._number -= 1
