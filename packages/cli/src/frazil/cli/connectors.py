"""The connectors of a stack, as its control API shows them."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from frazil.contracts.states import ConnectState
from frazil.runtime.errors import UserError

_TIMEOUT_SECONDS = 10


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


def connector_views(url: str) -> list[ConnectorView]:
    found = _get(f"{url}/connectors?expand=status")
    return [view(name, found[name]["status"]) for name in sorted(found)]


def connector_config(url: str, name: str) -> dict[str, str]:
    return _get(f"{url}/connectors/{quote(name, safe='')}/config")


def _get(url: str) -> dict[str, Any]:
    try:
        answer = httpx.get(url, timeout=_TIMEOUT_SECONDS)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise NoAnswerError(url, str(error)) from error
    body: dict[str, Any] = answer.json()
    return body


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


def require_none_failed(views: list[ConnectorView]) -> None:
    for connector in views:
        if connector.state is ConnectState.FAILED:
            raise ConnectorFailedError(connector)
