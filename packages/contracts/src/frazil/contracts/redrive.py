"""Dead letters that are to go through their connector once more."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class Pick(BaseModel):
    """Letters that were put away before a moment: of one table or of all, for one reason or any."""

    model_config = ConfigDict(frozen=True)

    before: datetime
    table: str | None = None
    reason: str | None = None


class Redrive(BaseModel):
    """What a user wants to be tried again.

    It is applied once: the ledger of each table remembers the `number` of the last one, and numbers
    grow. Picks of earlier ones stay in it, for they may not have been applied yet; if they were,
    there is nothing left of them.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    picks: tuple[Pick, ...]
