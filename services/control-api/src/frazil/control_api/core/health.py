"""Health as Connect words it, from the vital signs of this process; connectors play no part."""

from dataclasses import dataclass
from enum import StrEnum


class HealthStatus(StrEnum):
    HEALTHY = "healthy"
    STARTING = "starting"
    UNHEALTHY = "unhealthy"


class Role(StrEnum):
    """Of all processes on one store one looks after the workers."""

    LEADER = "leader"
    FOLLOWER = "follower"


@dataclass(frozen=True, slots=True)
class Vitals:
    """`failure` names a loop that has died; `broker` and `engine` say whether these answer."""

    ready: bool
    role: Role
    failure: str | None
    broker: str
    engine: str
    cluster_id: str | None
    # What an operator should change, though all works.
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class Gauges:
    """What /metrics shows of this process; only the one that leads reconciles."""

    queued: int
    trouble: str | None
    leads: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    status: HealthStatus
    message: str


def verdict(vitals: Vitals) -> Verdict:
    if vitals.failure is not None:
        return Verdict(
            HealthStatus.UNHEALTHY,
            "Worker was unable to handle this request and may be unable to handle other requests. "
            f"{vitals.failure}",
        )
    if not vitals.ready:
        return Verdict(HealthStatus.STARTING, "Worker is still starting up.")
    return Verdict(
        HealthStatus.HEALTHY,
        "Worker has completed startup and is ready to handle requests.",
    )
