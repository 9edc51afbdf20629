"""Changes of a table that its records ask for, and what a user has said of them."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class ChangeKind(StrEnum):
    CREATE = "create"
    ADD = "add"
    WIDEN = "widen"
    RELAX = "relax"
    PARTITION = "partition"


class SchemaChange(BaseModel):
    """`path` are names joined by dots, `element` and `value` for what arrays and maps hold.

    It is empty for the table itself. `type` is spelled as Spark does; for partitions it is what
    they are by.
    """

    model_config = ConfigDict(frozen=True)

    kind: ChangeKind
    path: str = ""
    type: str | None = None

    def __str__(self) -> str:
        match self.kind:
            case ChangeKind.CREATE:
                return "create the table"
            case ChangeKind.ADD:
                return f"add column {self.path} ({self.type})"
            case ChangeKind.WIDEN:
                return f"widen column {self.path} to {self.type}"
            case ChangeKind.RELAX:
                return f"let column {self.path} be null"
            case ChangeKind.PARTITION:
                return f"partition new rows by {self.type}"


class SchemaUndo(BaseModel):
    """A schema that is to be current again, where the one is that was current by then.

    So it happens once, whoever is told of it and however often.
    """

    model_config = ConfigDict(frozen=True)

    before: int
    after: int


class SchemaRules(BaseModel):
    """What may be changed of one table without asking again, and the paths that stay as they are.

    The empty path is the table itself: it is neither created nor partitioned anew.
    """

    model_config = ConfigDict(frozen=True)

    approved: tuple[SchemaChange, ...] = ()
    refused: tuple[str, ...] = ()
    undo: SchemaUndo | None = None
