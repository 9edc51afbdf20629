"""Asks living workers how they are, and counts for how long one has been silent."""

import time
from collections.abc import Mapping
from dataclasses import replace

import httpx
from pydantic import TypeAdapter, ValidationError

from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.observation import Worker

_SECONDS = 1.0
_MEMBERS = TypeAdapter(dict[str, str])


class StatusPoll:
    def __init__(self) -> None:
        self._answered: dict[tuple[str, int], float] = {}
        # Workers are near: a proxy from the environment has no business here.
        self._http = httpx.AsyncClient(timeout=_SECONDS, trust_env=False)

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
            response = await self._http.get(f"http://{address}/members")
            return _MEMBERS.validate_json(response.content)
        except (httpx.HTTPError, ValidationError):
            return None

    def forget(self, connector: str, epoch: int) -> None:
        self._answered.pop((connector, epoch), None)

    async def close(self) -> None:
        await self._http.aclose()

    async def _answer(self, address: str, connector: str) -> WorkerStatus | None:
        try:
            # A worker may have several.
            asked = {"connector": connector}
            response = await self._http.get(f"http://{address}/status", params=asked)
            return WorkerStatus.model_validate_json(response.content)
        except (httpx.HTTPError, ValidationError):
            return None
