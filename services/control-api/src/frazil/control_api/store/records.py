"""One name's rows, to and from core's records."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, Table

from frazil.contracts.offsets import Offsets, Rewind
from frazil.contracts.redrive import Redrive
from frazil.contracts.schema_change import SchemaRules
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.store.queries import CONNECTOR, INSERT, OBSERVED, REWIND, UPDATE


def connector_of(row: Row[Any]) -> Connector | None:
    if row.connector_name is None:
        return None
    return Connector(
        name=row.connector_name,
        config=row.connector_config,
        target=Target(row.connector_target),
        generation=row.connector_generation,
        topics_reset=row.connector_topics_reset,
        rewind=rewind_of(row),
        redrive=_redrive_of(row),
        paused_tables=tuple(row.connector_paused_tables),
        schema_rules=_schema_rules_of(row),
        observed=observed_of(row),
    )


def rewind_of(row: Row[Any]) -> Rewind | None:
    return None if row.rewind_name is None else Rewind.model_validate(row.rewind_rewind)


def _redrive_of(row: Row[Any]) -> Redrive | None:
    stored = row.connector_redrive
    return None if stored is None else Redrive.model_validate(stored)


def _schema_rules_of(row: Row[Any]) -> dict[str, SchemaRules]:
    stored = row.connector_schema_rules
    return {table: SchemaRules.model_validate(rules) for table, rules in stored.items()}


def observed_of(row: Row[Any]) -> Observed:
    if row.observed_name is None:
        return Observed()
    return Observed(
        phase=Phase(row.observed_phase),
        epoch=row.observed_epoch,
        generation=row.observed_generation,
        since=row.observed_since,
        failures=row.observed_failures,
        retry_at=row.observed_retry_at,
        trace=row.observed_trace,
        topics=tuple(row.observed_topics),
        topics_reset=row.observed_topics_reset,
        topics_base=_with_numbers(row.observed_topics_base),
        rewind=row.observed_rewind,
        failing_since=row.observed_failing_since,
    )


def write_wanted(
    connection: Connection, before: Row[Any], connector: Connector, revision: int
) -> None:
    """Write what is wanted; `before` is what was known of the name."""
    fields = {
        "config": dict(connector.config),
        "target": connector.target,
        "generation": connector.generation,
        "topics_reset": connector.topics_reset,
        "paused_tables": list(connector.paused_tables),
        "schema_rules": {
            table: rules.model_dump(mode="json") for table, rules in connector.schema_rules.items()
        },
        "redrive": connector.redrive and connector.redrive.model_dump(mode="json"),
        "revision": revision,
    }
    _put(connection, CONNECTOR, connector.name, fields, known=before.connector_name is not None)
    if connector.rewind is not None and connector.rewind != rewind_of(before):
        rewind = {"rewind": connector.rewind.model_dump(mode="json")}
        _put(connection, REWIND, connector.name, rewind, known=before.rewind_name is not None)


def write_observed(connection: Connection, before: Row[Any], name: str, observed: Observed) -> None:
    fields = {
        "phase": observed.phase,
        "epoch": observed.epoch,
        "generation": observed.generation,
        "since": observed.since,
        "failures": observed.failures,
        "retry_at": observed.retry_at,
        "trace": observed.trace,
        "topics": list(observed.topics),
        "topics_reset": observed.topics_reset,
        "topics_base": observed.topics_base,
        "rewind": observed.rewind,
        "failing_since": observed.failing_since,
    }
    _put(connection, OBSERVED, name, fields, known=before.observed_name is not None)


def _with_numbers(stored: Mapping[str, Mapping[Any, int]]) -> Offsets:
    """Undo what JSON does to partitions: its keys are texts."""
    return {topic: {int(p): at for p, at in parts.items()} for topic, parts in stored.items()}


def _put(
    connection: Connection, table: Table, name: str, fields: Mapping[str, Any], *, known: bool
) -> None:
    if known:
        connection.execute(UPDATE[table], {"key": name, **fields})
    else:
        connection.execute(INSERT[table], {"name": name, **fields})
