"""The door: no request gets past it unless its caller is known and may do what it asks for."""

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from frazil.control_api.api.errors import answer_of
from frazil.control_api.api.from_host import from_host
from frazil.control_api.api.gatekeeper import Gatekeeper
from frazil.control_api.core.access import Caller, Role, needed_role
from frazil.control_api.core.errors import ForbiddenError, TooManyGuessesError
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_HOST = Caller("host", Role.WRITE)


class Access:
    """Stands before all routes, those that do not exist included."""

    def __init__(self, app: ASGIApp, gatekeeper: Gatekeeper, *, open_to_host: bool = False) -> None:
        self._app = app
        self._gatekeeper = gatekeeper
        self._open_to_host = open_to_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        needed = needed_role(scope["method"], scope["path"])
        # Browsers ask without credentials whether they may ask with them.
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            needed = None
        caller: Caller | None = None
        refusal: Response | None = None
        try:
            caller = await self._caller(scope, headers)
        except TooManyGuessesError as error:
            # What is open to strangers is open to those who guess.
            refusal = answer_of(error) if needed else None
        state = scope.setdefault("state", {})
        state["stranger"] = caller is None
        state["may_write"] = caller is not None and caller.role.covers(Role.WRITE)
        answer = refusal or _refusal(caller, needed)
        if answer is None:
            await self._app(scope, receive, send)
            return
        log.info(
            "refused",
            caller=caller and caller.name,
            method=scope["method"],
            path=scope["path"],
            status=answer.status_code,
        )
        await answer(scope, receive, send)

    async def _caller(self, scope: Scope, headers: Headers) -> Caller | None:
        authorization = headers.get("authorization")
        # Whoever shows something is to be known by it.
        if authorization is None and self._open_to_host and await from_host(scope):
            return _HOST
        address, _port = scope.get("client") or ("", 0)
        return await self._gatekeeper.caller(authorization, address)


def _refusal(caller: Caller | None, needed: Role | None) -> Response | None:
    """Return the answer to a caller who may not do what it asks for."""
    if needed is None:
        return None
    if caller is None:
        return _unknown()
    if caller.role.covers(needed):
        return None
    message = f"{caller.name} has the role {caller.role}, and this call needs the role {needed}"
    return answer_of(ForbiddenError(message))


def _unknown() -> PlainTextResponse:
    """Answer as Connect's own extension for basic authentication does."""
    challenge = {"WWW-Authenticate": 'Basic realm="Frazil", charset="UTF-8"'}
    return PlainTextResponse("User cannot access the resource.", 401, challenge)
