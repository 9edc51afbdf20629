"""What a sink would do with the newest records of its topics; nothing of it is done."""

from pydantic import BaseModel

from frazil.contracts.schema_change import SchemaChange


class CreatedTable(BaseModel):
    """Columns with their types, spelled as Spark does; partitions as in `partition-by`."""

    columns: dict[str, str]
    partitions: tuple[str, ...]


class TablePreview(BaseModel):
    """What would become of one table; `trouble` is why it would fail, or is missing.

    `waits_for` are those changes that somebody has to approve first.
    """

    table: str
    exists: bool
    create: CreatedTable | None = None
    changes: tuple[SchemaChange, ...] = ()
    waits_for: tuple[SchemaChange, ...] = ()
    rows: int = 0
    dead: int = 0
    trouble: str | None = None


class PreviewedLetter(BaseModel):
    """A record that would be dead; `table` is none if it is too broken to say for which it is."""

    table: str | None
    topic: str
    partition: int
    offset: int
    reason: str


class Preview(BaseModel):
    """`step` is what is being looked at. `astray` counts records for no table that there is."""

    step: str = ""
    records: int = 0
    tables: tuple[TablePreview, ...] = ()
    letters: tuple[PreviewedLetter, ...] = ()
    dead: int = 0
    astray: int = 0
