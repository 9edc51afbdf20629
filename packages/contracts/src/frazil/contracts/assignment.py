"""The assignment: all that a worker is told. A file that it alone may read, never environment."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from frazil.contracts.offsets import Rewind
from frazil.contracts.redrive import Redrive
from frazil.contracts.schema_change import SchemaRules

ASSIGNMENT_FILE = "assignment.json"
STATUS_FILE = "status.json"
LOG_FILE = "worker.log"


def older_log(log: Path) -> Path:
    """Name what was written before the log became too long."""
    return log.with_suffix(".1.log")


class Assignment(BaseModel):
    """One connector for one worker.

    `epoch` grows with every start of the connector, `generation` with every change of its
    configuration and every restart that a user asks for. `config` has its `${...}` references
    resolved, and `secrets` are the texts that may not be said. Files are those below
    `files_folder`, with `files_anywhere` others too; None: files are out of bounds.
    With `preview` the worker only tells what it would do with so many records, and ends.
    `offsets_topic` holds the positions of all sources, in Connect's own format.
    """

    model_config = ConfigDict(frozen=True)

    connector: str
    epoch: int
    generation: int
    worker_id: str
    config: dict[str, str] = Field(repr=False)
    kafka: dict[str, str] = Field(repr=False)
    secrets: tuple[str, ...] = Field(default=(), repr=False)
    rewind: Rewind | None = None
    redrive: Redrive | None = None
    paused_tables: tuple[str, ...] = ()
    schema_rules: dict[str, SchemaRules] = {}
    preview: int | None = None
    files_folder: str | None = None
    files_anywhere: bool = False
    offsets_topic: str = "connect-offsets"
