"""The note beside a file: how far it is ours, so that a batch cut off by a kill can be undone."""

from enum import Enum, auto

from pydantic import BaseModel, ConfigDict

from frazil.contracts.ledger import Ledger


class Note(BaseModel):
    """The file was `length` bytes long after the ledger's batch; `pending` more are being added."""

    model_config = ConfigDict(frozen=True)

    ledger: Ledger | None = None
    length: int
    pending: int = 0


class Tail(Enum):
    """What the end of a file is, compared with its note."""

    OURS = auto()
    UNFINISHED = auto()
    FOREIGN = auto()


def tail_of(note: Note | None, size: int) -> Tail:
    """Tell a batch of ours that was cut off from what others have done to the file.

    Without a note nothing in the file is ours yet, whatever is there.
    """
    if note is None or size == note.length:
        return Tail.OURS
    return Tail.UNFINISHED if note.length < size <= note.length + note.pending else Tail.FOREIGN
