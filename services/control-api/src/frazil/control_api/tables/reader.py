"""Asks what reads tables, within a bound of time and never many at once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from frazil.control_api.core.errors import CatalogError, CatalogTimeoutError
from frazil.control_api.core.layout import Column, TableLayout
from frazil.control_api.core.proof import Entry, TableHistory, TableSource
from frazil.control_api.tables.child import Child
from frazil.control_api.tables.properties import python_properties
from frazil.control_api.tables.wire import Answer, LayoutAnswer, Question, TableAnswer
from frazil.runtime.hiding import Hiding
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

Ask = Callable[[Question], Awaitable[Answer]]

_AT_ONCE = 2
_TIMEOUT = 20.0
_ALL_HOSTS = ("*",)


class TableReader:
    """`hosts` and `folders` are what the operator lets connectors name; `ask` reads."""

    def __init__(
        self,
        ask: Ask | None = None,
        *,
        hosts: Sequence[str] = _ALL_HOSTS,
        folders: Sequence[Path] = (),
        timeout: float = _TIMEOUT,
    ) -> None:
        self._ask = ask or Child()
        self._hosts = tuple(hosts)
        self._folders = tuple(folders)
        self._timeout = timeout
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def histories(self, source: TableSource) -> list[TableHistory]:
        return [_history(table) for table in (await self._read(source)).tables]

    async def layouts(self, source: TableSource) -> list[TableLayout]:
        return [_layout(table) for table in (await self._read(source, layout=True)).layouts]

    async def _read(self, source: TableSource, *, layout: bool = False) -> Answer:
        question = Question(
            catalog=source.catalog,
            properties=python_properties(source.properties, self._hosts),
            tables=dict(source.tables),
            connector=source.connector,
            layout=layout,
            hosts=self._hosts,
            folders=self._folders,
        )
        try:
            async with asyncio.timeout(self._timeout), self._turns:
                answer = await self._ask(question)
        except TimeoutError:
            raise CatalogTimeoutError(
                f"The catalog of {source.connector} did not answer within {self._timeout:.0f} s"
            ) from None
        if answer.complaint is None:
            return answer
        hide = Hiding(source.secrets)
        if answer.detail:
            log.warning(
                "tables_not_read", connector=source.connector, detail=hide(answer.detail)[-2000:]
            )
        raise CatalogError(
            f"The catalog of {source.connector} cannot be read: {hide(answer.complaint)}"
        )


def _history(table: TableAnswer) -> TableHistory:
    entries = tuple(Entry(one.snapshot_id, one.at, one.ledger) for one in table.entries)
    return TableHistory(table.table, entries, is_whole=table.is_whole, rows=table.rows)


def _layout(table: LayoutAnswer) -> TableLayout:
    schemas = {
        number: {one.id: Column(one.path, one.type, one.required) for one in columns}
        for number, columns in table.schemas.items()
    }
    return TableLayout(table.table, table.current, schemas, frozenset(table.bound))
