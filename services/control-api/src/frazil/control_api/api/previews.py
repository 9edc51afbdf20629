"""Routes of previews: what a connector would do with the newest records of its topics."""

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from frazil.control_api.api.bodies import OptionalConfig, submission
from frazil.control_api.api.deps import ConnectorName, Previewing, Rehearsing, Service
from frazil.control_api.api.described import MAY_TAKE_CONFIG, TAKES_CONNECTOR
from frazil.control_api.api.own_models import PreviewAnswer
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.service import Submission

router = APIRouter()

_POLL_SECONDS = 0.25

RecordsQuery = Annotated[
    int, Query(ge=1, le=100_000, description="Newest records to look at, of all topics together.")
]
WaitQuery = Annotated[
    float, Query(ge=0, le=60, description="Seconds after which an unfinished answer is given too.")
]
_UNFINISHED: dict[int | str, dict[str, Any]] = {
    202: {"model": PreviewAnswer, "description": "It goes on; ask again at Location."}
}


def _submitted(
    wanted: Annotated[Submission, Depends(submission)], rehearsal: Rehearsing
) -> Connector:
    return rehearsal.create(wanted)


def _configured(
    name: ConnectorName, config: OptionalConfig, service: Service, rehearsal: Rehearsing
) -> Connector:
    return service.get(name) if config is None else rehearsal.configure(name, config)[0]


class _Answering:
    """Waits for a preview, and answers with what is known of it by then."""

    def __init__(
        self, previews: Previewing, request: Request, response: Response, wait: WaitQuery = 30
    ) -> None:
        self._previews = previews
        self._request = request
        self._response = response
        self._deadline = time.monotonic() + wait

    async def begin(self, connector: Connector, records: int) -> PreviewAnswer:
        return await self.tell(await self._previews.begin(connector, records))

    async def tell(self, preview_id: str) -> PreviewAnswer:
        while not (run := await self._previews.find(preview_id)).state.is_final:
            if time.monotonic() > self._deadline:
                location = f"{self._request.base_url}previews/{preview_id}"
                self._response.status_code = 202
                self._response.headers["Location"] = location
                break
            await asyncio.sleep(_POLL_SECONDS)
        return PreviewAnswer.of(run)


Answering = Annotated[_Answering, Depends()]


@router.post("/connectors/preview", openapi_extra=TAKES_CONNECTOR, responses=_UNFINISHED)
async def preview_new(
    connector: Annotated[Connector, Depends(_submitted)],
    answering: Answering,
    records: RecordsQuery = 1000,
) -> PreviewAnswer:
    """Tell what a connector would do that does not exist yet."""
    return await answering.begin(connector, records)


@router.post(
    "/connectors/{connector}/preview", openapi_extra=MAY_TAKE_CONFIG, responses=_UNFINISHED
)
async def preview(
    connector: Annotated[Connector, Depends(_configured)],
    answering: Answering,
    records: RecordsQuery = 1000,
) -> PreviewAnswer:
    """Tell what a connector would do, be it with the configuration that is sent along."""
    return await answering.begin(connector, records)


@router.get("/previews/{preview}", responses=_UNFINISHED)
async def get_preview(preview: str, answering: Answering) -> PreviewAnswer:
    """Tell of a preview that has begun."""
    return await answering.tell(preview)


@router.delete("/previews/{preview}", status_code=204)
async def end_preview(preview: str, previews: Previewing) -> Response:
    """End a preview, or forget one that is done; ten minutes after it began that happens anyway."""
    await previews.end(preview)
    return Response(status_code=204)
