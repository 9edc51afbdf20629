"""Kafka Connect, or whoever speaks its REST API: connectors."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx

from frazil.provisioner.desired import Connect
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import ConnectorState, Plan, PutConnector, Step, plan_connectors
from frazil.provisioner.steps.answers import reason, why


@asynccontextmanager
async def open_connect(
    wanted: Connect, seconds: float, headers: Mapping[str, str]
) -> AsyncIterator["ConnectSystem"]:
    async with httpx.AsyncClient(
        base_url=str(wanted.url), timeout=seconds, headers=headers
    ) as client:
        yield ConnectSystem(client, wanted)


class ConnectSystem:
    def __init__(self, client: httpx.AsyncClient, wanted: Connect) -> None:
        self._client = client
        self._wanted = wanted
        # A user and a password in the address are for the server alone.
        self._where = str(httpx.URL(str(wanted.url)).copy_with(userinfo=b""))
        self.title = f"Kafka Connect at {self._where}"

    async def plan(self) -> Plan:
        expanded = self._good(await self._ask("GET", "connectors?expand=status")).json()
        found = {}
        for name in [connector.name for connector in self._wanted.connectors]:
            if (config := await self._config(name)) is not None:
                # One that no worker has taken up yet has no status, and is not in this list.
                found[name] = _state(config, expanded.get(name, {}).get("status"))
        return plan_connectors(self._wanted.connectors, found)

    async def apply(self, step: Step) -> None:
        if isinstance(step, PutConnector):
            connector = step.connector
            response = await self._ask("PUT", _config_of(connector.name), body=connector.config)
            if response.is_error:
                raise StepFailedError(step.sentence, reason(response))

    async def _config(self, name: str) -> dict[str, str] | None:
        response = await self._ask("GET", _config_of(name))
        if response.status_code == httpx.codes.NOT_FOUND:
            return None
        config: dict[str, str] = self._good(response).json()
        return config

    def _good(self, response: httpx.Response) -> httpx.Response:
        if response.is_error:
            raise UnavailableError("Kafka Connect", self._where, reason(response))
        return response

    async def _ask(
        self, method: str, path: str, *, body: dict[str, str] | None = None
    ) -> httpx.Response:
        try:
            return await self._client.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise UnavailableError("Kafka Connect", self._where, why(error)) from error


def _config_of(name: str) -> str:
    return f"connectors/{quote(name, safe='')}/config"


def _state(config: dict[str, str], status: dict[str, Any] | None) -> ConnectorState:
    """Connect knows a state for the connector and one for each task; make them one word."""
    if status is None:
        return ConnectorState(config, "UNASSIGNED")
    parts = [status["connector"], *status["tasks"]]
    for part in parts:
        if part["state"] == "FAILED":
            return ConnectorState(config, "FAILED", part.get("trace", "").partition("\n")[0])
    states = [part["state"] for part in parts]
    if states[0] in {"PAUSED", "STOPPED"}:
        return ConnectorState(config, states[0])
    is_running = bool(status["tasks"]) and set(states) == {"RUNNING"}
    return ConnectorState(config, "RUNNING" if is_running else "UNASSIGNED")
