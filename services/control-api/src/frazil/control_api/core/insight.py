"""The use cases that only look: how a connector is, and what its tables prove."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import replace

from frazil.contracts.plugins import InvalidConfigError, ParsedConfig, find_plugin
from frazil.contracts.plugins.iceberg_catalog import catalog_name, catalog_properties
from frazil.contracts.plugins.iceberg_tables import LISTED, commit_branch, is_dynamic, writes_tables
from frazil.contracts.states import TableState
from frazil.control_api.core.condition import Condition, condition
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import (
    BadRequestError,
    EngineError,
    InvalidConnectorError,
    NotFoundError,
)
from frazil.control_api.core.hiding import texts_to_hide
from frazil.control_api.core.layout import TableLayout
from frazil.control_api.core.observation import Observation
from frazil.control_api.core.ports import Clock, Engine, Secrets, Tables
from frazil.control_api.core.proof import Proof, TableSource, prove
from frazil.control_api.core.references import resolve
from frazil.control_api.core.sightings import Sightings
from frazil.runtime.hiding import Hiding


class Insight:
    """`look` asks the engine, within a bound of time."""

    def __init__(
        self,
        engine: Engine,
        look: Callable[[str], Awaitable[Observation]],
        *,
        sightings: Sightings,
        tables: Tables,
        secrets: Secrets,
        clock: Clock,
    ) -> None:
        self._engine = engine
        self._look = look
        self._sightings = sightings
        self._tables = tables
        self._secrets = secrets
        self._clock = clock

    async def look(self, connector: Connector) -> Condition:
        """Ask the engine now, unless it is known to be in trouble."""
        if self._engine.trouble is not None:
            return self.glance(connector)
        try:
            observation = await self._look(connector.name)
        except EngineError as error:
            return self._seen_last(connector, trouble=error.message)
        return condition(connector, observation, self._clock.now(), trouble=None)

    def glance(self, connector: Connector) -> Condition:
        """Take what the reconciler saw last, which costs nothing."""
        return self._seen_last(connector, trouble=self._engine.trouble)

    def _seen_last(self, connector: Connector, *, trouble: str | None) -> Condition:
        seen = self._sightings.get(connector.name)
        return condition(connector, seen, self._clock.now(), trouble=trouble)

    def lines(self, connector: Connector, *, tail: int, follow: bool) -> AsyncIterator[str]:
        """Read a worker's log, or say at once that it cannot be read now."""
        if self._engine.trouble is not None:
            raise EngineError(self._engine.trouble)
        return self._engine.logs(connector.name, tail=tail, follow=follow)

    def source(self, connector: Connector, branch: str | None = None) -> TableSource:
        """Say which tables a connector writes to, with its secrets in clear; it may block.

        They are to be read at this branch, or where the configuration has rows go.
        """
        class_name = connector.config["connector.class"]
        resolved = resolve(connector.config, self._secrets)
        try:
            config = find_plugin(class_name).parse(resolved.config)
        except InvalidConfigError as error:
            hide = Hiding(texts_to_hide(resolved, {}))
            raise InvalidConnectorError(list(map(hide, error.messages))) from None
        if not writes_tables(config):
            raise BadRequestError(
                f"Connector {connector.name} writes to no Iceberg table, so there is no ledger: "
                f"it is a {class_name}"
            )
        return TableSource(
            connector.name,
            catalog=catalog_name(config),
            properties=catalog_properties(config),
            tables={
                name: branch or commit_branch(config, name)
                for name in self._tables_of(connector, config)
            },
            secrets=texts_to_hide(resolved, {}),
        )

    def _tables_of(self, connector: Connector, config: ParsedConfig) -> Iterable[str]:
        """Name the tables: those listed, or those that records have named to the last worker."""
        if not is_dynamic(config):
            return tuple(config[LISTED])
        worker = self.glance(connector).worker
        seen = worker.status.tables if worker and worker.status else {}
        return [name for name, table in seen.items() if table.state is not TableState.MISSING]

    async def layout(self, source: TableSource, table: str) -> TableLayout:
        """Read the schemas that one table has had."""
        branch = source.tables.get(table)
        if branch is None:
            raise NotFoundError(f"Connector {source.connector} has no table {table}")
        (layout,) = await self._tables.layouts(replace(source, tables={table: branch}))
        return layout

    async def proofs(self, source: TableSource) -> list[Proof]:
        """Prove from each table what of the connector's topics is in there."""
        return [prove(history) for history in await self._tables.histories(source)]
