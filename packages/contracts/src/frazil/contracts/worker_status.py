"""What a worker says of itself, at `/status` and in the file that survives it."""

from datetime import datetime

from pydantic import BaseModel

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.offsets import Offsets
from frazil.contracts.preview import Preview
from frazil.contracts.schema_change import SchemaChange
from frazil.contracts.states import TableState, WorkerState


class MaintenanceStatus(BaseModel):
    """What a table is like, as it was seen last, and what was done to it since the worker started.

    `seconds` is the time that it took, `trouble` why it could not go on.
    """

    files: int | None = None
    median_file_bytes: int | None = None
    manifests: int | None = None
    snapshots: int | None = None
    merged_files: int = 0
    merged_bytes: int = 0
    expired_snapshots: int = 0
    deleted_orphans: int = 0
    seconds: float = 0
    last_step: datetime | None = None
    trouble: str | None = None


class TableStatus(BaseModel):
    """One table of a sink.

    `position` is where it was left, if it has failed, waits or is paused, and `behind` how many
    offsets the connector has gone on since. `changes` are those of its schema that it waits for.
    All records that are older than `valid_through` are in it. With a `branch` it is written in that
    one, beside what readers see, until a user publishes or drops it.
    """

    state: TableState = TableState.RUNNING
    trace: str | None = None
    branch: str | None = None
    changes: tuple[SchemaChange, ...] = ()
    position: Offsets = {}
    behind: int = 0
    commits: int = 0
    records: int = 0
    dead: int = 0
    nulled: int = 0
    last_commit: datetime | None = None
    valid_through: datetime | None = None
    maintenance: MaintenanceStatus | None = None


class WorkerStatus(BaseModel):
    """`freshness_seconds` is the age of the newest record at its commit.

    `lag` counts offsets from where the table is that lacks most, be it one that was left. `astray`
    counts records that were for no table that there is. All records that are older than
    `valid_through` are in every table that is running. `redriven` counts rows of dead letters,
    `nulled` those without a value that their columns could not hold. `preview` is what the worker
    has found out so far, if that is all that it is for.
    """

    connector: str
    epoch: int
    generation: int
    pid: int
    port: int = 0
    state: WorkerState = WorkerState.STARTING
    since: datetime
    exit_code: ExitCode | None = None
    trace: str | None = None
    position: Offsets = {}
    lag: int | None = None
    commits: int = 0
    records: int = 0
    dead: int = 0
    nulled: int = 0
    astray: int = 0
    redriven: int = 0
    tables: dict[str, TableStatus] = {}
    last_commit: datetime | None = None
    commit_seconds: float | None = None
    freshness_seconds: float | None = None
    valid_through: datetime | None = None
    rewind: int = 0
    preview: Preview | None = None
