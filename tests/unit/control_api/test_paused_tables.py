"""Single tables are paused and resumed; a worker is started anew only if that changes anything."""

from collections.abc import Mapping

import pytest
from tests.support.sink_configs import PLUGIN, changed

from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import BadRequestError, NotFoundError
from frazil.control_api.core.paused_tables import with_table

TABLES = changed({"iceberg.tables": "ns.a,ns.b"})
DYNAMIC = changed({"frazil.tables.route": "ns.${topic}"}, without="iceberg.tables")


def change(
    connector: Connector, table: str, *, paused: bool, anew: bool = False
) -> tuple[tuple[str, ...], int]:
    config = PLUGIN.read(connector.config)
    after = with_table(connector, config, table, paused=paused, anew=anew)
    return after.paused_tables, after.generation


def connector(*paused: str, config: Mapping[str, str | None] = TABLES) -> Connector:
    given = {key: value for key, value in config.items() if value is not None}
    return Connector("c", given, paused_tables=paused)


def test_a_table_is_paused_and_resumed_by_a_new_worker() -> None:
    assert change(connector(), "ns.a", paused=True) == (("ns.a",), 2)
    assert change(connector("ns.a"), "ns.a", paused=False) == ((), 2)


def test_what_is_so_already_needs_no_new_worker() -> None:
    assert change(connector("ns.a"), "ns.a", paused=True) == (("ns.a",), 1)
    assert change(connector(), "ns.a", paused=False) == ((), 1)


def test_a_restart_needs_one_in_any_case() -> None:
    assert change(connector(), "ns.a", paused=False, anew=True) == ((), 2)
    assert change(connector("ns.a"), "ns.a", paused=False, anew=True) == ((), 2)


def test_the_last_table_is_not_paused() -> None:
    with pytest.raises(BadRequestError, match="pause the connector instead"):
        change(connector("ns.a"), "ns.b", paused=True)


def test_a_table_that_is_not_listed_is_not_known() -> None:
    with pytest.raises(NotFoundError, match="Connector c has no table"):
        change(connector(), "ns.x", paused=True)


def test_records_may_name_any_table() -> None:
    assert change(connector(config=DYNAMIC), "ns.x", paused=True) == (("ns.x",), 2)
