"""Asks a process that reads tables, within a bound of time and never many at once."""

import asyncio
import sys
from collections.abc import Sequence

from pydantic import ValidationError

from frazil.control_api.core.errors import CatalogError, CatalogTimeoutError
from frazil.control_api.core.layout import Column, TableLayout
from frazil.control_api.core.proof import Entry, TableHistory, TableSource
from frazil.control_api.tables.properties import python_properties
from frazil.control_api.tables.wire import Answer, LayoutAnswer, Question, TableAnswer
from frazil.runtime.hiding import Hiding
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_MODULE = "frazil.control_api.tables"
_AT_ONCE = 2
_TIMEOUT = 20.0


class TableReader:
    """`command` runs the process; tests put others in its place."""

    def __init__(
        self,
        command: Sequence[str] = (sys.executable, "-m", _MODULE),
        *,
        timeout: float = _TIMEOUT,
    ) -> None:
        self._command = command
        self._timeout = timeout
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def histories(self, source: TableSource) -> list[TableHistory]:
        return [_history(table) for table in (await self._read(source)).tables]

    async def layouts(self, source: TableSource) -> list[TableLayout]:
        return [_layout(table) for table in (await self._read(source, layout=True)).layouts]

    async def _read(self, source: TableSource, *, layout: bool = False) -> Answer:
        question = Question(
            catalog=source.catalog,
            properties=python_properties(source.properties),
            tables=dict(source.tables),
            connector=source.connector,
            layout=layout,
        )
        hide = Hiding(source.secrets)
        try:
            async with asyncio.timeout(self._timeout), self._turns:
                answer = await self._ask(question, hide)
        except TimeoutError:
            raise CatalogTimeoutError(
                f"The catalog of {source.connector} did not answer within {self._timeout:.0f} s"
            ) from None
        if answer.complaint is not None:
            raise CatalogError(
                f"The catalog of {source.connector} cannot be read: {hide(answer.complaint)}"
            )
        return answer

    async def _ask(self, question: Question, hide: Hiding) -> Answer:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            text, noise = await process.communicate(question.model_dump_json().encode())
        finally:
            # Also when the time is up or the caller has gone: nobody waits for it any more.
            if process.returncode is None:
                process.kill()
                await process.wait()
        try:
            return Answer.model_validate_json(text)
        except ValidationError:
            lines = hide(noise.decode(errors="replace"))
            log.error("table_reader_failed", exit_code=process.returncode, stderr=lines[-2000:])
            return Answer(complaint="the process that reads tables has died; see the log")


def _history(table: TableAnswer) -> TableHistory:
    entries = tuple(Entry(one.snapshot_id, one.at, one.ledger) for one in table.entries)
    return TableHistory(table.table, entries, is_whole=table.is_whole, rows=table.rows)


def _layout(table: LayoutAnswer) -> TableLayout:
    schemas = {
        number: {one.id: Column(one.path, one.type, one.required) for one in columns}
        for number, columns in table.schemas.items()
    }
    return TableLayout(table.table, table.current, schemas, frozenset(table.bound))
