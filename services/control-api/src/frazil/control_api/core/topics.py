"""The topics that a connector has read since its list was last reset."""

from dataclasses import dataclass, replace

from frazil.contracts.offsets import Offsets
from frazil.control_api.core.connector import Connector, Observed
from frazil.control_api.core.errors import ForbiddenError


@dataclass(frozen=True, slots=True)
class Tracking:
    """Whether topics may be asked for, and whether they may be forgotten."""

    on: bool = True
    reset: bool = True

    def require_on(self) -> None:
        if not self.on:
            raise ForbiddenError("Topic tracking is disabled.")

    def require_reset(self) -> None:
        self.require_on()
        if not self.reset:
            raise ForbiddenError("Topic tracking reset is disabled.")


def topics_of(connector: Connector) -> tuple[str, ...]:
    """Return what is to be shown: nothing, as soon as a reset is wanted."""
    seen = connector.observed
    return seen.topics if seen.topics_reset == connector.topics_reset else ()


def track(connector: Connector, position: Offsets) -> Observed:
    """Note the topics in which the worker has moved, or begin anew after a reset."""
    seen = connector.observed
    if seen.topics_reset != connector.topics_reset:
        return replace(
            seen, topics=(), topics_reset=connector.topics_reset, topics_base=dict(position)
        )
    moved = {topic for topic, at in position.items() if at != seen.topics_base.get(topic)}
    return replace(seen, topics=tuple(sorted({*seen.topics, *moved})))
