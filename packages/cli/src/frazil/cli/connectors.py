"""The connectors of a stack, as its control API shows them."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from frazil.contracts.states import ConnectState
from frazil.runtime.errors import UserError

_TIMEOUT_SECONDS = 10
_LEDGER_SECONDS = 90


Headers = Mapping[str, str]
"""What a call shows of who calls."""
NO_HEADERS: Headers = {}


class NoAnswerError(UserError):
    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"The control API at {url} gave no answer: {reason}")


class ConnectorFailedError(UserError):
    def __init__(self, connector: "ConnectorView") -> None:
        super().__init__(f"Connector {connector.name} is FAILED:\n{connector.trace}")


@dataclass(frozen=True)
class ConnectorView:
    """One connector: its state is the worst of its own and its tasks'."""

    name: str
    state: ConnectState
    trace: str = ""


def connector_views(url: str, headers: Headers = NO_HEADERS) -> list[ConnectorView]:
    found = _get(f"{url}/connectors?expand=status", headers)
    return [view(name, found[name]["status"]) for name in sorted(found)]


def expanded_connectors(url: str, headers: Headers = NO_HEADERS) -> dict[str, Any]:
    """Return the status, health and info of each, by its name."""
    return _get(f"{url}/connectors?expand=status&expand=health&expand=info", headers)


def connector_config(url: str, name: str) -> dict[str, str]:
    return _get(f"{url}/connectors/{quote(name, safe='')}/config")


def connector_ledger(
    url: str, name: str, branch: str | None = None, headers: Headers = NO_HEADERS
) -> dict[str, Any]:
    """Have the connector's tables read and their ledgers added up; a long history takes a while."""
    at = f"?branch={quote(branch, safe='')}" if branch else ""
    path = f"/connectors/{quote(name, safe='')}/ledger{at}"
    return _get(f"{url}{path}", headers, seconds=_LEDGER_SECONDS)


def _get(
    url: str, headers: Headers = NO_HEADERS, *, seconds: float = _TIMEOUT_SECONDS
) -> dict[str, Any]:
    try:
        answer = httpx.get(url, headers=headers, timeout=seconds)
    except httpx.HTTPError as error:
        raise NoAnswerError(url, str(error)) from error
    if answer.is_error:
        raise NoAnswerError(url, reason(answer))
    body: dict[str, Any] = answer.json()
    return body


def reason(answer: httpx.Response) -> str:
    """Return the API's own sentence; a proxy before it may have none."""
    try:
        return str(answer.json()["message"])
    except (ValueError, KeyError, TypeError):
        return f"{answer.status_code} {answer.reason_phrase}"


def view(name: str, status: dict[str, Any]) -> ConnectorView:
    """Read Connect's status body."""
    parts = [status["connector"], *status["tasks"]]
    states = {ConnectState(part["state"]) for part in parts}
    trace = "\n".join(part["trace"] for part in parts if part.get("trace"))
    return ConnectorView(name, next(state for state in _WORST_FIRST if state in states), trace)


_WORST_FIRST = (
    ConnectState.FAILED,
    ConnectState.RESTARTING,
    ConnectState.UNASSIGNED,
    ConnectState.STOPPED,
    ConnectState.PAUSED,
    ConnectState.RUNNING,
)


class Patience:
    """Tells a connector that stays FAILED from one whose worker is just being started again."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._since: dict[str, float] = {}

    def require_none_failed(self, views: Iterable[ConnectorView]) -> None:
        now = self._now()
        failed = [view for view in views if view.state is ConnectState.FAILED]
        self._since = {view.name: self._since.get(view.name, now) for view in failed}
        for view in failed:
            if now - self._since[view.name] >= self._seconds:
                raise ConnectorFailedError(view)
