"""Routes of offsets: where a connector is, and where a stopped one is to go on."""

import asyncio
import time
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool

from frazil.contracts.offsets import Ending, Mode
from frazil.contracts.states import Target
from frazil.control_api.api.bodies import OffsetEntries
from frazil.control_api.api.deps import ConnectorName, Present, Service
from frazil.control_api.api.described import TAKES_OFFSETS, faults
from frazil.control_api.api.models import ConnectorOffsets, Message
from frazil.control_api.api.own_models import SideBranch
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.offset_service import OffsetService, has_ended

# These routes wait for a broker. They do so in the event loop: threads are for all the others.
router = APIRouter(prefix="/connectors/{connector}/offsets")

_PATIENCE = 5.0
_LOOK_AGAIN = 0.1


def _offset_service(request: Request) -> OffsetService:
    service: OffsetService = request.app.state.offsets
    return service


async def _stopped(name: ConnectorName, service: Service) -> Connector:
    """Read the connector; if it was just stopped, wait a little for its worker to end."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        connector = await run_in_threadpool(service.get, name)
        is_stopping = connector.target is Target.STOPPED and not has_ended(connector)
        if not is_stopping or time.monotonic() > deadline:
            return connector
        await asyncio.sleep(_LOOK_AGAIN)


Offsets = Annotated[OffsetService, Depends(_offset_service)]
Stopped = Annotated[Connector, Depends(_stopped)]
ModeQuery = Annotated[
    Mode | None,
    Query(
        description="Whether rows of what is read again are written once more (`again`, as unless "
        "told), or taken back before (`once`), or that in a side branch (`branch`). Tables whose "
        "records change rows end the same."
    ),
]
BranchQuery = Annotated[
    str | None, Query(description="A name for the side branch; else it is named by a number.")
]


@router.get("", responses=faults(404, 500))
async def get_offsets(connector: Present, offsets: Offsets) -> ConnectorOffsets:
    return ConnectorOffsets.of(await offsets.read(connector))


@router.patch("", openapi_extra=TAKES_OFFSETS, responses=faults(400, 404, 409, 500))
async def alter_offsets(
    entries: OffsetEntries,
    connector: Stopped,
    offsets: Offsets,
    mode: ModeQuery = None,
    branch: BranchQuery = None,
) -> Message:
    """Move a stopped connector; partitions that are not named stay where they are."""
    return Message(message=await offsets.alter(connector, entries, mode, branch))


@router.delete("", responses=faults(400, 404, 409, 500))
async def reset_offsets(
    connector: Stopped, offsets: Offsets, mode: ModeQuery = None, branch: BranchQuery = None
) -> Message:
    """Let a stopped connector begin anew."""
    return Message(message=await offsets.reset(connector, mode, branch))


@router.get("/branch", responses=faults(404))
def get_branch(connector: Present) -> SideBranch:
    """Tell of the side branch that a rewind reads into, until it is published or dropped."""
    return SideBranch.of(connector)


@router.post("/branch/publish", status_code=202, responses=faults(404, 409))
def publish_branch(name: ConnectorName, service: Service) -> SideBranch:
    """Have a new worker make the side branch of each table what its readers see."""
    return SideBranch.of(service.end_branch(name, Ending.PUBLISH, time.time()))


@router.delete("/branch", status_code=202, responses=faults(404))
def drop_branch(name: ConnectorName, service: Service) -> SideBranch:
    """Have a new worker drop the side branch, and go on where the tables stand."""
    return SideBranch.of(service.end_branch(name, Ending.DROP, time.time()))
