"""The ledger: what one commit of one connector did, kept in the snapshot of the table itself."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Self, TypeVar

from pydantic import BaseModel, ConfigDict

from frazil.contracts.naming import consumer_group
from frazil.contracts.offsets import Offsets

_KEY = "frazil.ledger."
_Place = TypeVar("_Place")


def committed_offsets_key(control_topic: str, group: str) -> str:
    """Name the property in which Kafka Connect's sink says how far its control topic is read."""
    return f"kafka.connect.offsets.{control_topic}.{group}"


class Ledger(BaseModel):
    """One commit. `start` and `end` are offsets; `run` names the driver that wrote it.

    A commit starts where the one before it in the same table had ended, and counts the records that
    were for this table. All before `settled` is in every table of the connector, and the commits
    of one batch share a `commit_id`. `rewind` is the number of the last rewind that was applied
    (see `offsets.Rewind`), and `redrive` that of the last redrive; a commit of its own has the
    `redriven` rows of dead letters, whose offsets were accounted for before. `nulled` of its rows
    lack a value that their columns could not hold, and are kept as letters, too. Of the commits
    before it that many are `undone`: it took their rows away, and they count no more. `fences` are
    properties for the sink of Kafka Connect that wrote here before, which keep it from committing
    what it had left.
    """

    model_config = ConfigDict(frozen=True)

    connector: str
    epoch: int
    run: str
    commit_id: str = ""
    cluster_id: str
    topic_ids: dict[str, str]
    start: Offsets
    end: Offsets
    settled: Offsets = {}
    rewind: int = 0
    consumed: int = 0
    written: int = 0
    filtered: int = 0
    dead: int = 0
    nulled: int = 0
    redrive: int = 0
    redriven: int = 0
    undone: int = 0
    fences: dict[str, str] = {}
    min_time: datetime | None = None
    max_time: datetime | None = None
    valid_through: datetime | None = None

    @staticmethod
    def key(connector: str) -> str:
        """Name of the summary property; one a connector, for several may share a table."""
        return _KEY + connector

    @classmethod
    def from_summary(cls, summary: Mapping[str, str], connector: str) -> Self | None:
        text = summary.get(cls.key(connector))
        return None if text is None else cls.model_validate_json(text)

    def to_summary(self, *, control_topic: str) -> dict[str, str]:
        """Return the ledger, and beside it the keys that Kafka Connect's dashboards read."""
        group = consumer_group(self.connector)
        summary = {
            self.key(self.connector): self.model_dump_json(exclude_none=True),
            committed_offsets_key(control_topic, group): "{}",
            "kafka.connect.commit-id": self.commit_id,
            "kafka.connect.task-id": f"{self.connector}-0",
            **self.fences,
        }
        if self.valid_through is not None:
            summary["kafka.connect.valid-through-ts"] = self.valid_through.isoformat()
            summary["kafka.connect.vtts"] = str(int(self.valid_through.timestamp() * 1000))
        return summary


def standing(told: Iterable[tuple[_Place, Ledger]]) -> list[tuple[_Place, Ledger]]:
    """Leave out the commits that later ones have undone; all are given oldest first."""
    found: list[tuple[_Place, Ledger]] = []
    for place, ledger in told:
        if ledger.undone:
            del found[-ledger.undone :]
        found.append((place, ledger))
    return found
