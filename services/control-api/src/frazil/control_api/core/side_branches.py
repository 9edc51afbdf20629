"""Side branches that rewinds read into: begun by one, ended at a user's word, by the next worker.

What of it is done is known by numbers, as with rewinds: those at or below the one that the last
worker told are.
"""

import re
from dataclasses import replace
from enum import StrEnum

from frazil.contracts.offsets import Ending, Mode, Rewind
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.iceberg_tables import why_no_side
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import BadRequestError, NotFoundError, SideBranchError

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class SideState(StrEnum):
    PENDING = "pending"  # no worker has begun it
    OPEN = "open"
    PUBLISHING = "publishing"  # the next worker does it
    DROPPING = "dropping"


def require_side(config: ParsedConfig, mode: Mode | None, branch: str | None) -> None:
    """Refuse what cannot be read into a side branch; a name is for that mode alone."""
    if mode is not Mode.BRANCH:
        if branch is not None:
            raise BadRequestError(f"The parameter branch is for mode={Mode.BRANCH} alone.")
        return
    if branch is not None and not _NAME.fullmatch(branch):
        raise BadRequestError(
            f"{branch!r} is no name for a side branch: take letters, digits, - and _, 100 at most."
        )
    fault = why_no_side(config, branch or "")
    if fault:
        raise BadRequestError(f"mode={mode} cannot be: {fault}.")


def side_name(pending: Rewind, mode: Mode, branch: str | None, *, number: int) -> str | None:
    """Name the branch of a rewind; one that waits already keeps its name unless told."""
    return (branch or pending.branch or f"rewind_{number}") if mode is Mode.BRANCH else None


def require_ended(last: Rewind | None, applied: int) -> None:
    """Let a rewind not do away with a branch that somebody may have looked at."""
    if last is None or last.branch is None or last.ending is Ending.DROP:
        return
    if last.ending is None and last.number <= applied:
        raise SideBranchError(
            f"The connector writes to branch {last.branch} of its tables. Publish it, with POST to "
            "offsets/branch/publish, or drop it, with DELETE of offsets/branch; then rewind."
        )
    if last.ended > applied:
        raise SideBranchError(
            f"Branch {last.branch} is to be published by the next worker. Resume the connector, "
            "and stop it again; or drop the branch."
        )


def state_of(connector: Connector) -> tuple[Rewind, SideState]:
    """Return the rewind that has a branch now; NotFoundError if none has."""
    rewind, applied = connector.rewind, connector.observed.rewind
    if rewind is not None and rewind.branch is not None:
        if rewind.ending is None:
            return rewind, SideState.PENDING if rewind.number > applied else SideState.OPEN
        if rewind.ended > applied:
            drops = rewind.ending is Ending.DROP
            return rewind, SideState.DROPPING if drops else SideState.PUBLISHING
    raise NotFoundError(f"Connector {connector.name} writes to no side branch")


def ended(connector: Connector, ending: Ending, now: float) -> Connector:
    """Return the connector with a branch to be ended by a new worker; said twice it is the same."""
    rewind, state = state_of(connector)
    if ending is rewind.ending:
        return connector
    if ending is Ending.PUBLISH and state is SideState.PENDING:
        raise SideBranchError(
            f"No worker has begun branch {rewind.branch} yet. Resume the connector first."
        )
    if ending is Ending.PUBLISH and state is SideState.DROPPING:
        raise SideBranchError(f"Branch {rewind.branch} is to be dropped.")
    number = max(rewind.newest + 1, connector.observed.rewind + 1, int(now))
    wanted = rewind.model_copy(update={"ending": ending, "ended": number})
    return replace(connector, rewind=wanted, generation=connector.generation + 1)
