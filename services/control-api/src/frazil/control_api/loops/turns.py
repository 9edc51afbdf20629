"""Whose turn it is to start: one after another, but nobody waits for a start that hangs."""

from frazil.control_api.core.connector import Observed, Phase
from frazil.control_api.core.policy import Policy


class Turns:
    """What the passes of a reconciler tell each other about starts; known anew soon after ours."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._starting: dict[str, float] = {}
        self._line: dict[str, bool] = {}

    def taken(self, name: str, starting: int, now: float) -> int:
        """Of the others that are starting, count those whose turn it is."""
        others = (other for other in self._starting if other != name)
        return starting - sum(not self._has_turn(other, now) for other in others)

    def note(self, name: str, observed: Observed, *, waits: bool) -> None:
        """Remember what a pass has come to; those that have failed stand behind those that not."""
        self._line.pop(name, None)
        self._starting.pop(name, None)
        if observed.phase is Phase.STARTING:
            self._starting[name] = observed.since
        if waits:
            self._line[name] = observed.failures > 0

    def call(self, now: float) -> str | None:
        """Take the next out of the line, if there is a turn to be had."""
        taken = sum(self._has_turn(name, now) for name in self._starting)
        if taken >= self._policy.max_starting or not self._line:
            return None
        name = min(self._line, key=self._line.__getitem__)
        del self._line[name]
        return name

    def _has_turn(self, name: str, now: float) -> bool:
        """Tell whether a start is under way that has not taken too long.

        One that was cut off is recorded as a start too, and may wait in the line to be resumed.
        """
        is_slow = now - self._starting[name] > self._policy.start_turn
        return not is_slow and name not in self._line
