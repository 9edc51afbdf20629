"""The bodies of what Kafka Connect does not answer: condition, history, plans, outcomes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Self

from pydantic import BaseModel, Field

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.offsets import Offsets
from frazil.contracts.preview import Preview
from frazil.contracts.redrive import Redrive
from frazil.contracts.schema_change import SchemaChange, SchemaRules, SchemaUndo
from frazil.contracts.states import ConnectState, Target, WorkerState
from frazil.contracts.worker_status import TableStatus
from frazil.control_api.core import revisions
from frazil.control_api.core.bulk import Outcome
from frazil.control_api.core.condition import Condition
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.history import StateChange
from frazil.control_api.core.layout import TableLayout
from frazil.control_api.core.observation import Worker
from frazil.control_api.core.previews import PreviewRun, PreviewState
from frazil.control_api.core.rehearsal import Plan
from frazil.control_api.core.side_branches import SideState, state_of


def moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class WorkerHealth(BaseModel):
    """The worker of the last start, in its own last words."""

    alive: bool
    epoch: int
    state: WorkerState | None
    since: datetime | None
    silent_seconds: float = Field(description="For how long a living worker has not answered.")
    exit_code: ExitCode | None
    commits: int
    commit_seconds: float | None
    position: Offsets = Field(description="Next offset to read, by topic and partition.")

    @classmethod
    def of(cls, worker: Worker) -> Self:
        status = worker.status
        return cls(
            alive=worker.alive,
            epoch=worker.epoch,
            state=status.state if status else None,
            since=status.since if status else None,
            silent_seconds=worker.silent_for,
            exit_code=status.exit_code if status else None,
            commits=status.commits if status else 0,
            commit_seconds=status.commit_seconds if status else None,
            position=status.position if status else {},
        )


class ConnectorHealth(BaseModel):
    """How a connector is, and what a person can do about it."""

    name: str
    state: ConnectState
    healthy: bool
    reason: str = Field(description="One or two sentences that a person can act on.")
    since: datetime = Field(description="When this state was entered.")
    lag: int | None = Field(description="Records not committed yet to every table.")
    freshness_seconds: float | None = Field(description="Age of the newest record at its commit.")
    valid_through: datetime | None = Field(description="Older records are all in the tables.")
    last_commit: datetime | None
    records: int | None
    dead: int | None = Field(description="Records that could not be written.")
    nulled: int | None = Field(description="Rows without a value that is in a dead letter.")
    astray: int | None = Field(description="Records that were for no table that there is.")
    redriven: int | None = Field(description="Dead letters that have become rows.")
    tables: dict[str, TableStatus] = Field(description="Each table of a sink, by its name.")
    failures: int = Field(description="Runs that ended without progress, in a row.")
    epoch: int
    next_retry_at: datetime | None
    worker: WorkerHealth | None
    engine: str | None = Field(description="Why the engine cannot be worked with now, if so.")

    @classmethod
    def of(cls, name: str, found: Condition) -> Self:
        status = found.worker.status if found.worker else None
        return cls(
            name=name,
            state=found.state,
            healthy=found.healthy,
            reason=found.reason,
            since=moment(found.since),
            lag=status.lag if status else None,
            freshness_seconds=status.freshness_seconds if status else None,
            valid_through=status.valid_through if status else None,
            last_commit=status.last_commit if status else None,
            records=status.records if status else None,
            dead=status.dead if status else None,
            nulled=status.nulled if status else None,
            astray=status.astray if status else None,
            redriven=status.redriven if status else None,
            tables=status.tables if status else {},
            failures=found.failures,
            epoch=found.epoch,
            next_retry_at=None if found.next_retry_at is None else moment(found.next_retry_at),
            worker=WorkerHealth.of(found.worker) if found.worker else None,
            engine=found.trouble,
        )


class SideBranch(BaseModel):
    """Where the rows of a connector go, in each of its tables, since a rewind."""

    branch: str
    rewind: int = Field(description="The number of the rewind; ledgers in the branch have it.")
    state: SideState

    @classmethod
    def of(cls, connector: Connector) -> Self:
        rewind, state = state_of(connector)
        return cls(branch=rewind.branch or "", rewind=rewind.number, state=state)


class RedriveOrder(BaseModel):
    """What a new worker is going to do; one that is paused or stopped does it once it is not."""

    number: int = Field(description="The tables' ledgers have it once it is done.")
    before: datetime = Field(description="Letters that were put away before are tried again.")

    @classmethod
    def of(cls, redrive: Redrive) -> Self:
        return cls(number=redrive.number, before=redrive.picks[-1].before)


class PreviewAnswer(Preview):
    """What a connector would do, as far as it is known yet; nothing of it was done."""

    id: str
    state: PreviewState
    trace: str | None = Field(description="Why it could not be told, if so.")

    @classmethod
    def of(cls, run: PreviewRun) -> Self:
        return cls(id=run.id, state=run.state, trace=run.trace, **dict(run.found))


class TableSchema(BaseModel):
    """Changes of one table, and what was said of them."""

    waits_for: list[SchemaChange] = Field(description="Approve or refuse these.")
    approved: list[SchemaChange]
    refused: list[str] = Field(description="Paths that stay as they are; empty: the table itself.")
    undo: SchemaUndo | None = Field(description="A schema that is to be, or was, made current.")

    @classmethod
    def of(cls, rules: SchemaRules | None, shown: Sequence[SchemaChange]) -> Self:
        known = rules or SchemaRules()
        return cls(
            waits_for=[*shown],
            approved=[*known.approved],
            refused=[*known.refused],
            undo=known.undo,
        )


class SchemaVersion(BaseModel):
    """A schema that a table has had; `columns` are types by path."""

    schema_id: int
    current: bool
    columns: dict[str, str]

    @classmethod
    def all_of(cls, layout: TableLayout) -> list[Self]:
        return [
            cls(
                schema_id=number,
                current=number == layout.current,
                columns={one.path: one.type for one in columns.values() if one.type},
            )
            for number, columns in sorted(layout.schemas.items(), reverse=True)
        ]


class ConfigChange(BaseModel):
    before: str
    after: str


class ConfigDiff(BaseModel):
    """Secrets are hidden: one that has changed is a change from hidden to hidden."""

    added: dict[str, str]
    removed: dict[str, str]
    changed: dict[str, ConfigChange]

    @classmethod
    def of(cls, diff: revisions.Diff) -> Self:
        return cls(
            added=dict(diff.added),
            removed=dict(diff.removed),
            changed={
                name: ConfigChange(before=before, after=after)
                for name, (before, after) in diff.changed.items()
            },
        )


class ConfigRevision(BaseModel):
    """One configuration, secrets hidden, and what was new in it; null is a deletion."""

    version: int
    at: datetime
    config: dict[str, str] | None
    diff: ConfigDiff

    @classmethod
    def of(cls, revision: revisions.Revision) -> Self:
        return cls(
            version=revision.version,
            at=moment(revision.at),
            config=None if revision.config is None else dict(revision.config),
            diff=ConfigDiff.of(revision.diff),
        )


class StateEvent(BaseModel):
    """A connector came into a state; null: it was deleted."""

    id: int
    connector: str
    at: datetime
    state: ConnectState | None
    task: ConnectState | None
    reason: str | None

    @classmethod
    def of(cls, change: StateChange) -> Self:
        return cls(
            id=change.id,
            connector=change.name,
            at=moment(change.at),
            state=change.state,
            task=change.task,
            reason=change.reason,
        )


class ConnectorHistory(BaseModel):
    """Newest first."""

    name: str
    states: list[StateEvent]
    configs: list[ConfigRevision]


class DryRun(BaseModel):
    """What the same call would do without `dry_run`."""

    name: str
    created: bool
    restarts: bool = Field(description="A running worker would be replaced.")
    target: Target
    config: dict[str, str] = Field(description="What would be stored; secrets hidden here.")
    diff: ConfigDiff
    warnings: list[str]

    @classmethod
    def of(cls, plan: Plan) -> Self:
        return cls(
            name=plan.name,
            created=plan.created,
            restarts=plan.restarts,
            target=plan.target,
            config=dict(plan.config),
            diff=ConfigDiff.of(plan.diff),
            warnings=list(plan.warnings),
        )


class BulkOutcome(BaseModel):
    """What was done, by name: `unchanged` was so already, `gone` was deleted meanwhile."""

    matched: int
    connectors: dict[str, Outcome]

    @classmethod
    def of(cls, outcomes: dict[str, Outcome]) -> Self:
        return cls(matched=len(outcomes), connectors=outcomes)
