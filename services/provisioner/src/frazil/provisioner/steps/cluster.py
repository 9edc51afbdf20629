"""A cluster of S3: nothing is made, it has to be healthy."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from frazil.provisioner.desired import Cluster
from frazil.provisioner.errors import UnavailableError
from frazil.provisioner.plan import Plan, Step
from frazil.provisioner.steps.answers import reason, why


@asynccontextmanager
async def open_cluster(wanted: Cluster, seconds: float) -> AsyncIterator["ClusterSystem"]:
    async with httpx.AsyncClient(timeout=seconds) as client:
        yield ClusterSystem(client, wanted)


class ClusterSystem:
    def __init__(self, client: httpx.AsyncClient, wanted: Cluster) -> None:
        self._client = client
        self._name = f"Cluster {wanted.name}"
        self._url = str(wanted.url).rstrip("/") + wanted.health
        self.title = f"{self._name} at {self._url}"

    async def plan(self) -> Plan:
        try:
            response = await self._client.get(self._url)
        except httpx.HTTPError as error:
            raise UnavailableError(self._name, self._url, why(error)) from error
        # Others than 200 are no health, not even a 204 or a redirect of some proxy.
        if response.status_code != httpx.codes.OK:
            raise UnavailableError(self._name, self._url, reason(response))
        return Plan()

    async def apply(self, step: Step) -> None:
        raise NotImplementedError(step.sentence)
