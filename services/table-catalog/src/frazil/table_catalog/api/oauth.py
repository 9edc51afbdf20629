"""`POST /v1/oauth/tokens`: there only if a setting says so."""

import time

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from frazil.table_catalog.core.oauth import Counter

router = APIRouter()

# A form of three fields.
MOST_BYTES = 16 * 1024


@router.post("/v1/oauth/tokens")
async def make_token(request: Request) -> JSONResponse:
    counter: Counter = request.app.state.counter()
    token = counter.token(
        await request.body(), request.headers.get("authorization"), now=time.time()
    )
    answer = {
        "access_token": token,
        "token_type": "bearer",
        "expires_in": counter.seconds,
        "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
    }
    return JSONResponse(answer, headers={"Cache-Control": "no-store"})
