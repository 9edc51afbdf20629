"""The history of a name: written beside what it is the history of, and bounded."""

from typing import Any

from sqlalchemy import Connection, Row

from frazil.contracts.states import ConnectState
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.history import ConfigVersion, StateChange
from frazil.control_api.core.states import PublicState, public_state
from frazil.control_api.store.queries import (
    ADD_CONFIG,
    ADD_STATE,
    LAST_VERSION,
    PRUNE_CONFIGS,
    PRUNE_STATES,
)


def append(
    connection: Connection,
    before: Connector | None,
    after: Connector,
    *,
    revision: int,
    now: float,
) -> None:
    """Write down what has become different, if anything has."""
    config = _config(after)
    if config != _config(before):
        _append_config(connection, after.name, config, now)
    state = _state(after)
    if state != _state(before):
        _append_state(connection, after, state, revision=revision, now=now)


def config_version(row: Row[Any]) -> ConfigVersion:
    return ConfigVersion(row.version, row.at, row.config)


def state_change(row: Row[Any]) -> StateChange:
    return StateChange(
        id=row.id,
        name=row.name,
        at=row.at,
        state=ConnectState(row.state) if row.state else None,
        task=ConnectState(row.task) if row.task else None,
        reason=row.reason,
    )


def _config(connector: Connector | None) -> dict[str, str] | None:
    return None if connector is None or connector.is_deleted else dict(connector.config)


def _state(connector: Connector | None) -> PublicState | None:
    return None if connector is None or connector.is_deleted else public_state(connector)


def _append_config(
    connection: Connection, name: str, config: dict[str, str] | None, now: float
) -> None:
    version = (connection.execute(LAST_VERSION, {"key": name}).scalar() or 0) + 1
    fields = {"name": name, "version": version, "at": now, "config": config}
    connection.execute(ADD_CONFIG, fields)
    connection.execute(PRUNE_CONFIGS, {"key": name, "last": version})


def _append_state(
    connection: Connection,
    connector: Connector,
    state: PublicState | None,
    *,
    revision: int,
    now: float,
) -> None:
    trace = connector.observed.trace
    fields = {
        "id": revision,
        "name": connector.name,
        "at": now,
        "state": state.connector if state else None,
        "task": state.task if state else None,
        "reason": trace.partition("\n")[0] if trace else None,
    }
    connection.execute(ADD_STATE, fields)
    connection.execute(PRUNE_STATES, {"key": connector.name})
