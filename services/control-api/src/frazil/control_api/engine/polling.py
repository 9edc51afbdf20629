"""Asks living workers how they are, and counts for how long one has been silent."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace

import httpx
from pydantic import TypeAdapter, ValidationError

from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.observation import Worker

_SECONDS = 1.0
_SECONDS_IN_ALL = 3.0
_LARGEST = 4 * 1024 * 1024
_MEMBERS = TypeAdapter(dict[str, str])


class StatusPoll:
    def __init__(self) -> None:
        self._answered: dict[tuple[str, int], float] = {}
        # Workers are near: a proxy from the environment has no business here.
        self._http = httpx.AsyncClient(
            timeout=_SECONDS, trust_env=False, headers={"Accept-Encoding": "identity"}
        )

    async def ask(self, connector: str, worker: Worker, address: str | None) -> Worker:
        """Return the worker with its own answer, or with the time since it gave one.

        It is first asked when it is first seen: its silence begins then.
        """
        key = (connector, worker.epoch)
        now = time.monotonic()
        answer = None if address is None else await self._answer(address, connector)
        # Somebody else may have come into possession of the address.
        if answer is not None and (answer.connector, answer.epoch) == key:
            self._answered[key] = now
            return replace(worker, status=answer)
        return replace(worker, silent_for=now - self._answered.setdefault(key, now))

    async def members(self, address: str) -> Mapping[str, str] | None:
        """Ask a host for the states of those that it has; None if it does not answer."""
        try:
            return _MEMBERS.validate_json(await self._body(f"http://{address}/members"))
        except (httpx.HTTPError, TimeoutError, ValidationError):
            return None

    def forget(self, connector: str, epoch: int) -> None:
        self._answered.pop((connector, epoch), None)

    async def close(self) -> None:
        await self._http.aclose()

    async def _answer(self, address: str, connector: str) -> WorkerStatus | None:
        try:
            # A worker may have several.
            asked = {"connector": connector}
            body = await self._body(f"http://{address}/status", params=asked)
            return WorkerStatus.model_validate_json(body)
        except (httpx.HTTPError, TimeoutError, ValidationError):
            return None

    async def _body(self, url: str, params: Mapping[str, str] | None = None) -> bytes:
        """Read an answer as it was sent, up to a bound of size and of time.

        A worker runs what connectors bring. What it says to be compressed is not unpacked.
        """
        body = bytearray()
        async with (
            asyncio.timeout(_SECONDS_IN_ALL),
            self._http.stream("GET", url, params=params) as response,
        ):
            async for part in response.aiter_raw():
                body += part
                if len(body) > _LARGEST:
                    break
        return bytes(body)
