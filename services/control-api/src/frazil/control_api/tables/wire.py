"""What the control API and the process that reads tables say to each other, as JSON."""

from datetime import datetime

from pydantic import BaseModel

from frazil.contracts.ledger import Ledger


class Question(BaseModel):
    """Which branches of which tables, and whose ledgers; it holds secrets and is never logged.

    With `layout` it is about the schemas of the tables, and not about their snapshots.
    """

    catalog: str
    properties: dict[str, str]
    tables: dict[str, str]
    connector: str
    layout: bool = False


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
    """Either tables, or the sentence that says why there are none."""

    tables: list[TableAnswer] = []
    layouts: list[LayoutAnswer] = []
    complaint: str | None = None
