"""The log of a connector's newest worker, as text."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse, StreamingResponse

from frazil.control_api.api.deps import Ending, Insights, Present
from frazil.control_api.api.streams import FollowQuery, StreamPlaceIfFollowed
from frazil.runtime.tasks import until

router = APIRouter(prefix="/connectors/{connector}")

_MOST_LINES = 10_000
# Neither caches nor reverse proxies may hold back lines that are read as they come.
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.get(
    "/logs",
    response_class=PlainTextResponse,
    dependencies=[StreamPlaceIfFollowed],
)
async def get_logs(
    connector: Present,
    insight: Insights,
    ending: Ending,
    tail: Annotated[int, Query(ge=0, le=_MOST_LINES, description="Last lines at first.")] = 100,
    follow: FollowQuery = False,
) -> StreamingResponse:
    """Send the last lines, and with `follow` those that come; empty while there is no worker."""
    lines = insight.lines(connector, tail=tail, follow=follow)
    return StreamingResponse(_text(until(ending, lines)), media_type="text/plain", headers=_HEADERS)


async def _text(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    async for line in lines:
        yield f"{line}\n"
