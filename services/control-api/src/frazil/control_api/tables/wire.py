"""What the control API and the process that reads tables say to each other, as JSON."""

from datetime import datetime
from pathlib import Path

from pydantic import BaseModel

from frazil.contracts.ledger import Ledger


class Question(BaseModel):
    """Which branches of which tables, and whose ledgers; it holds secrets and is never logged.

    With `layout` it is about the schemas of the tables, and not about their snapshots. `hosts` and
    `folders` are the operator's: which addresses may be asked, which local files may be read.
    """

    catalog: str
    properties: dict[str, str]
    tables: dict[str, str]
    connector: str
    layout: bool = False
    hosts: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()


class EntryAnswer(BaseModel):
    snapshot_id: int
    at: datetime
    ledger: Ledger | None


class TableAnswer(BaseModel):
    """The snapshots behind the present state, oldest first."""

    table: str
    entries: list[EntryAnswer]
    is_whole: bool
    rows: int | None


class ColumnAnswer(BaseModel):
    id: int
    path: str
    type: str
    required: bool


class LayoutAnswer(BaseModel):
    """The columns of all schemas, and ids on which something of the table stands."""

    table: str
    current: int
    schemas: dict[int, list[ColumnAnswer]]
    bound: list[int]


class Answer(BaseModel):
    """Either tables, or a sentence of ours that says why there are none.

    `detail` may hold what a catalog or a file says: it is for the log, never for the caller.
    """

    tables: list[TableAnswer] = []
    layouts: list[LayoutAnswer] = []
    complaint: str | None = None
    detail: str = ""
