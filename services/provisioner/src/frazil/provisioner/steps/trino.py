"""Trino: catalogs that come and go, by statements."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx
from trino.dbapi import connect
from trino.exceptions import Error, HttpError, TrinoQueryError

from frazil.provisioner.desired import Trino
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import CreateTrinoCatalog, Plan, Step, plan_trino, unanswering
from frazil.provisioner.steps.answers import reason, why
from frazil.provisioner.trino_sql import create_catalog, show_schemas

Run = Callable[[str], list[list[Any]]]
_FAILURES = (Error, HttpError, OSError)


@asynccontextmanager
async def open_trino(wanted: Trino, seconds: float) -> AsyncIterator["TrinoSystem"]:
    async with httpx.AsyncClient(base_url=str(wanted.url), timeout=seconds) as client:
        yield TrinoSystem(client, wanted, run=partial(run_statement, wanted, seconds))


def run_statement(wanted: Trino, seconds: float, statement: str) -> list[list[Any]]:
    with connect(  # type: ignore[no-untyped-call]
        host=wanted.url.host,
        port=wanted.url.port,
        http_scheme=wanted.url.scheme,
        user=wanted.user,
        request_timeout=seconds,
    ) as connection:
        rows: list[list[Any]] = connection.cursor().execute(statement).fetchall()
        return rows


class TrinoSystem:
    """`run` blocks, so every call of it goes to a thread."""

    def __init__(self, client: httpx.AsyncClient, wanted: Trino, *, run: Run) -> None:
        self._client = client
        self._wanted = wanted
        self._run = run
        self._where = str(wanted.url)
        self.title = f"Trino at {self._where}"

    async def plan(self) -> Plan:
        await self._version()
        try:
            rows = await asyncio.to_thread(self._run, "SHOW CATALOGS")
        except _FAILURES as error:
            raise UnavailableError("Trino", self._where, _last_cause(error)) from error
        there = {row[0] for row in rows}
        wanted = self._wanted.catalogs
        found = {c.name: await self._complaint(c.name) for c in wanted if c.name in there}
        return plan_trino(wanted, found)

    async def apply(self, step: Step) -> None:
        if not isinstance(step, CreateTrinoCatalog):
            return
        statement = create_catalog(step.catalog, await self._version())
        try:
            await asyncio.to_thread(self._run, statement)
        except _FAILURES as error:
            raise StepFailedError(step.sentence, _last_cause(error)) from error
        # Trino has only noted it: the catalog itself is first called by a query.
        if complaint := await self._complaint(step.catalog.name):
            raise StepFailedError(step.sentence, unanswering(step.catalog.name, complaint))

    async def _complaint(self, catalog: str) -> str:
        try:
            await asyncio.to_thread(self._run, show_schemas(catalog))
        except _FAILURES as error:
            return _last_cause(error)
        return ""

    async def _version(self) -> str:
        try:
            response = await self._client.get("v1/info")
        except httpx.HTTPError as error:
            raise UnavailableError("Trino", self._where, why(error)) from error
        if not response.is_success:
            raise UnavailableError("Trino", self._where, reason(response))
        info = response.json()
        if info["starting"]:
            raise UnavailableError("Trino", self._where, "it is starting")
        return str(info["nodeVersion"]["version"])


def _last_cause(error: Exception) -> str:
    """Name the last cause too: the outermost error often says only what was tried."""
    if not isinstance(error, TrinoQueryError):
        return why(error)
    cause = error.failure_info or {}
    while cause.get("cause"):
        cause = cause["cause"]
    inner = cause.get("message") or error.message
    return error.message if inner in error.message else f"{error.message}: {inner}"
