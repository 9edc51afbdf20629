"""What was: configurations and public states that a connector has had; values, no behaviour."""

from collections.abc import Mapping
from dataclasses import dataclass

from frazil.contracts.states import ConnectState


@dataclass(frozen=True, slots=True)
class ConfigVersion:
    """One configuration. Versions count from 1 for each name; None is the end by a deletion."""

    version: int
    at: float
    config: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class StateChange:
    """A connector came into a public state; None: it was deleted. Ids grow over all connectors.

    `reason` is the first line of the trace, if there is one.
    """

    id: int
    name: str
    at: float
    state: ConnectState | None
    task: ConnectState | None
    reason: str | None
