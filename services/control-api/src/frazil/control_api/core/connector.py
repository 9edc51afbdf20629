"""The connector record: what the user wants of it, and beside that what was last seen of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from frazil.contracts.offsets import Offsets, Rewind
from frazil.contracts.redrive import Redrive
from frazil.contracts.schema_change import SchemaRules
from frazil.contracts.states import Target


class Phase(StrEnum):
    """Where the worker of a connector was when last seen."""

    NONE = "NONE"  # no worker and no task: never started, or stopped
    STARTING = "STARTING"
    RUNNING = "RUNNING"
    STOPPING = "STOPPING"
    ENDED = "ENDED"  # ended as wished by a pause; its task is still shown
    WAITING = "WAITING"  # failed, the next start has a time
    FAILED = "FAILED"  # failed, and a new start needs a person

    @property
    def has_failed(self) -> bool:
        return self in (Phase.WAITING, Phase.FAILED)


@dataclass(frozen=True, slots=True)
class Observed:
    """What the reconciler saw and did last; nobody else writes it.

    `epoch` and `generation` are those of the last start, `since` is when the phase was entered
    (seconds since 1970), `failures` counts the runs that ended without progress, a row that began
    at `failing_since`, `rewind` is the number of the last rewind that a worker has applied.
    `topics` were read since reset number `topics_reset`, at which the worker stood at
    `topics_base`.
    """

    phase: Phase = Phase.NONE
    epoch: int = 0
    generation: int = 0
    since: float = 0.0
    failures: int = 0
    retry_at: float = 0.0
    trace: str | None = None
    topics: tuple[str, ...] = ()
    topics_reset: int = 0
    topics_base: Offsets = field(default_factory=dict)
    rewind: int = 0
    failing_since: float = 0.0


@dataclass(frozen=True, slots=True)
class Connector:
    """What the user wants. `generation` grows with each change that needs a new worker.

    The last rewind of a name outlives the connector, as its consumer group does. `topics_reset`
    counts how often its list of topics was to be forgotten.
    """

    name: str
    config: Mapping[str, str]
    target: Target = Target.RUNNING
    generation: int = 1
    rewind: Rewind | None = None
    redrive: Redrive | None = None
    paused_tables: tuple[str, ...] = ()
    schema_rules: Mapping[str, SchemaRules] = field(default_factory=dict)
    topics_reset: int = 0
    observed: Observed = field(default_factory=Observed)

    @property
    def is_deleted(self) -> bool:
        return self.target is Target.DELETED
