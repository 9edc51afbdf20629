"""States of connectors and workers, spelled as on the wire."""

from enum import StrEnum


class Target(StrEnum):
    """What the user wants of a connector; the first three are Connect's own words."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"
    DELETED = "DELETED"


class ConnectState(StrEnum):
    """What Connect's API shows of a connector or a task (a task is never STOPPED)."""

    UNASSIGNED = "UNASSIGNED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"
    FAILED = "FAILED"
    RESTARTING = "RESTARTING"


class WorkerState(StrEnum):
    """What a worker says of itself; the last two are final."""

    STARTING = "STARTING"
    RUNNING = "RUNNING"
    STOPPED = "STOPPED"
    FAILED = "FAILED"

    @property
    def is_final(self) -> bool:
        return self in (WorkerState.STOPPED, WorkerState.FAILED)


class TableState(StrEnum):
    """How it stands with one table of a sink; but for the first they hold up no other table."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    WAITING = "WAITING"
    FAILED = "FAILED"
    MISSING = "MISSING"

    @property
    def is_left(self) -> bool:
        """Tell whether others go on without it, and it has to be come back to."""
        return self in (TableState.PAUSED, TableState.WAITING, TableState.FAILED)
