"""The body of the ledger's proof: what each table shows, and what is amiss in it."""

from collections.abc import Iterable
from datetime import datetime
from typing import Self

from pydantic import BaseModel, Field

from frazil.contracts.ledger import Ledger
from frazil.control_api.core import proof
from frazil.control_api.core.proof import JumpKind, Proof


class Sums(BaseModel):
    """Over all commits of this connector that the table still tells of."""

    commits: int
    offsets: int
    consumed: int
    written: int
    filtered: int
    dead: int
    nulled: int = Field(description="Rows without a value that their columns could not hold.")
    redriven: int = Field(description="Rows of dead letters, beside those written.")
    undone: int = Field(description="Commits that a rewind took back; they are in no other figure.")


class Jump(BaseModel):
    """A commit began elsewhere than the one before it had ended; `wanted` says who asked for it."""

    kind: JumpKind
    snapshot_id: int
    topic: str
    partition: int
    ended: int
    began: int
    wanted: str | None


class Imbalance(BaseModel):
    snapshot_id: int
    consumed: int
    written: int
    filtered: int
    dead: int


class LastRewind(BaseModel):
    number: int
    snapshot_id: int
    at: datetime


class TableProof(BaseModel):
    """What the snapshots of one table prove of this connector."""

    table: str
    proved: bool = Field(description="Balanced and contiguous, and there is a ledger at all.")
    balanced: bool = Field(description="Each commit: written = consumed - filtered - dead.")
    contiguous: bool = Field(description="Each commit begins where the one before it had ended.")
    whole: bool = Field(description="No snapshot has expired: this is all that ever was written.")
    rows: int | None = Field(description="Rows of the table, whoever wrote them.")
    snapshots: int
    sums: Sums
    jumps: list[Jump]
    imbalances: list[Imbalance]
    valid_through: datetime | None
    last_rewind: LastRewind | None
    snapshot_id: int | None = Field(description="Snapshot of the newest ledger.")
    ledger: Ledger | None

    @classmethod
    def of(cls, found: Proof) -> Self:
        newest = found.newest
        ledger = newest.ledger if newest else None
        return cls(
            table=found.history.table,
            proved=found.proved,
            balanced=found.balanced,
            contiguous=found.contiguous,
            whole=found.history.is_whole,
            rows=found.history.rows,
            snapshots=len(found.history.entries),
            sums=Sums.model_validate(found.sums, from_attributes=True),
            jumps=[Jump.model_validate(one, from_attributes=True) for one in found.jumps],
            imbalances=_imbalances(found.imbalances),
            valid_through=ledger.valid_through if ledger else None,
            last_rewind=_last_rewind(found.last_rewind),
            snapshot_id=newest.snapshot_id if newest else None,
            ledger=ledger,
        )


def _imbalances(found: Iterable[proof.Imbalance]) -> list[Imbalance]:
    return [Imbalance.model_validate(one, from_attributes=True) for one in found]


def _last_rewind(found: proof.LastRewind | None) -> LastRewind | None:
    return None if found is None else LastRewind.model_validate(found, from_attributes=True)


class ConnectorLedger(BaseModel):
    name: str
    proved: bool
    tables: list[TableProof]

    @classmethod
    def of(cls, name: str, proofs: list[Proof]) -> Self:
        return cls(
            name=name,
            proved=bool(proofs) and all(found.proved for found in proofs),
            tables=[TableProof.of(found) for found in proofs],
        )
