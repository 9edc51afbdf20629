"""Single tables of a connector that are left out for a while, and go on where they were left."""

from dataclasses import replace

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.iceberg_tables import LISTED, writes_tables
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import BadRequestError, NotFoundError


def with_table(
    connector: Connector, config: ParsedConfig, table: str, *, paused: bool, anew: bool
) -> Connector:
    """Return the connector with a table paused or not; `anew` wants a new worker in any case."""
    require_table(connector, config, table)
    names = [name for name in connector.paused_tables if name != table]
    if paused:
        names.append(table)
        _require_others(config, names)
    if (table in connector.paused_tables) is paused and not anew:
        return connector
    return replace(connector, paused_tables=tuple(names), generation=connector.generation + 1)


def require_table(connector: Connector, config: ParsedConfig, table: str) -> None:
    """Raise NotFoundError for a table that is not listed; records may name any."""
    require_tables(connector, config)
    if config[LISTED] and table not in config[LISTED]:
        raise NotFoundError(f"Connector {connector.name} has no table {table}")


def require_tables(connector: Connector, config: ParsedConfig) -> None:
    if not writes_tables(config):
        raise BadRequestError(f"Connector {connector.name} writes to no Iceberg table")


def _require_others(config: ParsedConfig, paused: list[str]) -> None:
    if config[LISTED] and not set(config[LISTED]) - set(paused):
        raise BadRequestError(
            "No table would be left that is written: pause the connector instead."
        )
