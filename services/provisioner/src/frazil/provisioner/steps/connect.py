"""Kafka Connect, or whoever speaks its REST API: connectors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote

import httpx

from frazil.provisioner.desired import Connect
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import Plan, PutConnector, Step, plan_connectors


@asynccontextmanager
async def open_connect(wanted: Connect, seconds: float) -> AsyncIterator["ConnectSystem"]:
    async with httpx.AsyncClient(base_url=str(wanted.url), timeout=seconds) as client:
        yield ConnectSystem(client, wanted)


class ConnectSystem:
    def __init__(self, client: httpx.AsyncClient, wanted: Connect) -> None:
        self._client = client
        self._wanted = wanted

    async def plan(self) -> Plan:
        found = {c.name: await self._config(c.name) for c in self._wanted.connectors}
        actual = {name: config for name, config in found.items() if config is not None}
        return plan_connectors(self._wanted.connectors, actual)

    async def apply(self, step: Step) -> None:
        if isinstance(step, PutConnector):
            connector = step.connector
            response = await self._ask("PUT", connector.name, body=connector.config)
            if response.is_error:
                raise StepFailedError(step.sentence, _message(response))

    async def _config(self, name: str) -> dict[str, str] | None:
        response = await self._ask("GET", name)
        if response.status_code == httpx.codes.NOT_FOUND:
            return None
        if response.is_error:
            raise UnavailableError("Kafka Connect", str(self._wanted.url), _message(response))
        config: dict[str, str] = response.json()
        return config

    async def _ask(
        self, method: str, name: str, *, body: dict[str, str] | None = None
    ) -> httpx.Response:
        path = f"connectors/{quote(name, safe='')}/config"
        try:
            return await self._client.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise UnavailableError("Kafka Connect", str(self._wanted.url), str(error)) from error


def _message(response: httpx.Response) -> str:
    """Take the sentence out of Connect's error body, or say what came instead."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if isinstance(body, dict) and body.get("message"):
        return str(body["message"])
    return f"it answered {response.status_code} {response.reason_phrase}"
