"""The states that Connect's clients see, looked up from (target, phase) in one table."""

from dataclasses import dataclass

from frazil.contracts.plugins.reading import task_count
from frazil.contracts.states import ConnectState, Target
from frazil.control_api.core.connector import Connector, Phase


@dataclass(frozen=True, slots=True)
class PublicState:
    """State of the connector and of its task; None where no task exists."""

    connector: ConnectState
    task: ConnectState | None

    @property
    def overall(self) -> ConnectState:
        """One word for both: of a paused connector it matters more that its task has failed."""
        return ConnectState.FAILED if self.task is ConnectState.FAILED else self.connector


_UNASSIGNED = PublicState(ConnectState.UNASSIGNED, ConnectState.UNASSIGNED)
_RUNNING = PublicState(ConnectState.RUNNING, ConnectState.RUNNING)
_RESTARTING = PublicState(ConnectState.RESTARTING, ConnectState.RESTARTING)
_PAUSED = PublicState(ConnectState.PAUSED, ConnectState.PAUSED)
_FAILED = PublicState(ConnectState.FAILED, ConnectState.FAILED)
_PAUSED_FAILED = PublicState(ConnectState.PAUSED, ConnectState.FAILED)
_STOPPED = PublicState(ConnectState.STOPPED, None)

# A worker that still lives is shown as what it does, whatever is wanted of it: PAUSED and STOPPED
# promise that nothing is written any more. DELETED has no rows, such a connector is not shown.
_TABLE: dict[tuple[Target, Phase], PublicState] = {
    (Target.RUNNING, Phase.NONE): _UNASSIGNED,
    (Target.RUNNING, Phase.STARTING): _UNASSIGNED,
    (Target.RUNNING, Phase.RUNNING): _RUNNING,
    (Target.RUNNING, Phase.STOPPING): _RESTARTING,
    (Target.RUNNING, Phase.ENDED): _UNASSIGNED,
    (Target.RUNNING, Phase.WAITING): _FAILED,
    (Target.RUNNING, Phase.FAILED): _FAILED,
    (Target.PAUSED, Phase.NONE): PublicState(ConnectState.PAUSED, None),
    (Target.PAUSED, Phase.STARTING): _UNASSIGNED,
    (Target.PAUSED, Phase.RUNNING): _RUNNING,
    (Target.PAUSED, Phase.STOPPING): _RUNNING,
    (Target.PAUSED, Phase.ENDED): _PAUSED,
    (Target.PAUSED, Phase.WAITING): _PAUSED_FAILED,
    (Target.PAUSED, Phase.FAILED): _PAUSED_FAILED,
    (Target.STOPPED, Phase.NONE): _STOPPED,
    (Target.STOPPED, Phase.STARTING): _UNASSIGNED,
    (Target.STOPPED, Phase.RUNNING): _RUNNING,
    (Target.STOPPED, Phase.STOPPING): _RUNNING,
    (Target.STOPPED, Phase.ENDED): _STOPPED,
    (Target.STOPPED, Phase.WAITING): _STOPPED,
    (Target.STOPPED, Phase.FAILED): _STOPPED,
}


def task_ids(connector: Connector) -> range:
    """Number the tasks that clients are shown: one for each core of the worker, if it has one."""
    has_tasks = public_state(connector).task is not None
    return range(task_count(connector.config) if has_tasks else 0)


def public_state(connector: Connector) -> PublicState:
    """Look up what clients are shown; a deleted connector has no public state (KeyError)."""
    return _TABLE[connector.target, connector.observed.phase]
