"""Routes of offsets: where a connector is, and where a stopped one is to go on."""

import asyncio
import time
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool

from frazil.contracts.offsets import Mode
from frazil.contracts.states import Target
from frazil.control_api.api.bodies import OffsetEntries
from frazil.control_api.api.deps import ConnectorName, Present, Service
from frazil.control_api.api.described import TAKES_OFFSETS, faults
from frazil.control_api.api.models import ConnectorOffsets, Message
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
        "told), or taken back before (`once`). Tables whose records change rows end the same."
    ),
]


@router.get("", responses=faults(404, 500))
async def get_offsets(connector: Present, offsets: Offsets) -> ConnectorOffsets:
    return ConnectorOffsets.of(await offsets.read(connector))


@router.patch("", openapi_extra=TAKES_OFFSETS, responses=faults(400, 404, 409, 500))
async def alter_offsets(
    entries: OffsetEntries, connector: Stopped, offsets: Offsets, mode: ModeQuery = None
) -> Message:
    """Move a stopped connector; partitions that are not named stay where they are."""
    return Message(message=await offsets.alter(connector, entries, mode))


@router.delete("", responses=faults(400, 404, 500))
async def reset_offsets(connector: Stopped, offsets: Offsets, mode: ModeQuery = None) -> Message:
    """Let a stopped connector begin anew."""
    return Message(message=await offsets.reset(connector, mode))
