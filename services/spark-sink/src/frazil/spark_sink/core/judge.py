"""May this batch be committed? Decided from the newest ledger of the table, inside the commit."""

from dataclasses import dataclass
from enum import Enum, auto

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets, covers


class Verdict(Enum):
    APPEND = auto()
    ALREADY_DONE = auto()
    SUPERSEDED = auto()
    MOVED = auto()
    ROLLED_BACK = auto()


@dataclass(frozen=True)
class Claim:
    """What a driver believes when it wants to commit: its batch follows `after`."""

    epoch: int
    run: str
    after: Ledger | None
    start: Offsets
    end: Offsets


def judge(ledger: Ledger | None, claim: Claim) -> Verdict:
    """Compare offsets, never batch ids: a checkpoint may be new, the table is not.

    MOVED means that another driver, not newer than this one, has committed since this one looked;
    ROLLED_BACK that the commit which this batch follows is gone.
    """
    if ledger is None:
        return Verdict.APPEND if claim.after is None else Verdict.ROLLED_BACK
    if ledger.epoch > claim.epoch:
        return Verdict.SUPERSEDED
    if ledger.run == claim.run and ledger.end == claim.end and ledger.start == claim.start:
        return Verdict.ALREADY_DONE
    if claim.after is None:
        return Verdict.MOVED
    if (ledger.run, ledger.end) == (claim.after.run, claim.after.end):
        return Verdict.APPEND
    return Verdict.MOVED if covers(ledger.end, claim.after.end) else Verdict.ROLLED_BACK
