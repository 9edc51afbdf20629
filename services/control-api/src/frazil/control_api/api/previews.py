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
from frazil.control_api.core.previews import Previews
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


@router.post("/connectors/preview", openapi_extra=TAKES_CONNECTOR, responses=_UNFINISHED)
async def preview_new(
    connector: Annotated[Connector, Depends(_submitted)],
    previews: Previewing,
    request: Request,
    response: Response,
    records: RecordsQuery = 1000,
    wait: WaitQuery = 30,
) -> PreviewAnswer:
    """Tell what a connector would do that does not exist yet."""
    preview_id = await previews.begin(connector, records)
    return await _answer(previews, preview_id, wait, request=request, response=response)


@router.post(
    "/connectors/{connector}/preview", openapi_extra=MAY_TAKE_CONFIG, responses=_UNFINISHED
)
async def preview(
    connector: Annotated[Connector, Depends(_configured)],
    previews: Previewing,
    request: Request,
    response: Response,
    records: RecordsQuery = 1000,
    wait: WaitQuery = 30,
) -> PreviewAnswer:
    """Tell what a connector would do, be it with the configuration that is sent along."""
    preview_id = await previews.begin(connector, records)
    return await _answer(previews, preview_id, wait, request=request, response=response)


@router.get("/previews/{preview}", responses=_UNFINISHED)
async def get_preview(
    preview: str,
    previews: Previewing,
    request: Request,
    response: Response,
    wait: WaitQuery = 0,
) -> PreviewAnswer:
    return await _answer(previews, preview, wait, request=request, response=response)


@router.delete("/previews/{preview}", status_code=204)
async def end_preview(preview: str, previews: Previewing) -> Response:
    """End a preview, or forget one that is done; ten minutes after it began that happens anyway."""
    await previews.end(preview)
    return Response(status_code=204)


async def _answer(
    previews: Previews, preview_id: str, wait: float, *, request: Request, response: Response
) -> PreviewAnswer:
    deadline = time.monotonic() + wait
    while not (run := await previews.find(preview_id)).state.is_final:
        if time.monotonic() > deadline:
            response.status_code = 202
            response.headers["Location"] = f"{request.base_url}previews/{preview_id}"
            break
        await asyncio.sleep(_POLL_SECONDS)
    return PreviewAnswer.of(run)
