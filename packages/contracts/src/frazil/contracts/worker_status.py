"""What a worker says of itself, at `/status` and in the file that survives it."""

from datetime import datetime

from pydantic import BaseModel

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.offsets import Offsets
from frazil.contracts.states import WorkerState


class WorkerStatus(BaseModel):
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
    last_commit: datetime | None = None
