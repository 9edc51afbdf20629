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
        """Of the others that are starting, count those that have not been at it for too long."""
        others = (since for other, since in self._starting.items() if other != name)
        return starting - sum(now - since > self._policy.start_turn for since in others)

    def note(self, name: str, observed: Observed, *, waits: bool) -> None:
        """Remember what a pass has come to; those that have failed stand behind those that not."""
        self._line.pop(name, None)
        self._starting.pop(name, None)
        if waits:
            self._line[name] = observed.failures > 0
        elif observed.phase is Phase.STARTING:
            self._starting[name] = observed.since

    def call(self, now: float) -> str | None:
        """Take the next out of the line, if there is a turn to be had."""
        taken = sum(now - since <= self._policy.start_turn for since in self._starting.values())
        if taken >= self._policy.max_starting or not self._line:
            return None
        name = min(self._line, key=self._line.__getitem__)
        del self._line[name]
        return name
