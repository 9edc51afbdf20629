"""The stream of state changes, as server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent

from frazil.control_api.api.deps import Ending, Feed
from frazil.control_api.api.own_models import StateEvent
from frazil.control_api.api.streams import StreamPlace
from frazil.runtime.tasks import until

router = APIRouter()


@router.get(
    "/events",
    response_class=EventSourceResponse,
    dependencies=[StreamPlace],
)
async def follow_events(
    feed: Feed,
    ending: Ending,
    connector: Annotated[str | None, Query(description="Only of this connector.")] = None,
    last_event_id: Annotated[
        int | None, Header(description="Go on behind this event; without it, from now on.")
    ] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Send an event `state` for each change; a comment every 15 s keeps the line open."""
    changes = feed.follow(after=last_event_id, name=connector)
    async for change in until(ending, changes):
        yield ServerSentEvent(id=str(change.id), event="state", data=StateEvent.of(change))
