"""Dry runs: what would be stored, with the real errors and without a trace in the store."""

import pytest
from tests.support.control_api import sink_config

from frazil.contracts.states import Target
from frazil.control_api.core.errors import AlreadyExistsError, InvalidConnectorError
from frazil.control_api.core.rehearsal import Rehearsal
from frazil.control_api.core.service import ConnectorService, Submission
from frazil.control_api.store.repository import Repository


@pytest.fixture
def rehearsal(store: Repository, notified: list[str]) -> Rehearsal:
    return Rehearsal(store, notified.append)


def test_a_plan_to_create_says_what_would_be_stored_and_stores_nothing(
    rehearsal: Rehearsal, store: Repository, notified: list[str]
) -> None:
    secret = {"iceberg.catalog.credential": "hunter2"}
    plan = rehearsal.plan_create(Submission("logs", sink_config(**secret), Target.PAUSED))
    assert (plan.name, plan.created, plan.restarts) == ("logs", True, False)
    assert plan.target is Target.PAUSED
    assert plan.config["iceberg.catalog.credential"] == "[hidden]"
    assert plan.diff.added == plan.config
    assert store.all() == []
    assert notified == []


def test_a_plan_to_configure_says_what_changes(
    service: ConnectorService, rehearsal: Rehearsal, notified: list[str]
) -> None:
    service.create(Submission("logs", sink_config()))
    notified.clear()
    same = rehearsal.plan_configure("logs", sink_config())
    assert (same.created, same.restarts, same.diff.changed) == (False, False, {})
    plan = rehearsal.plan_configure("logs", sink_config(**{"tasks.max": "2", "topics": "b"}))
    assert plan.restarts
    assert plan.diff.added == {"tasks.max": "2"}
    assert plan.diff.changed == {"topics": ("apilogs", "b")}
    assert service.get("logs").config["topics"] == "apilogs"
    assert notified == []


def test_a_plan_for_a_name_that_is_free_is_a_plan_to_create(rehearsal: Rehearsal) -> None:
    assert rehearsal.plan_configure("new", sink_config()).created


def test_errors_are_those_of_the_real_thing(
    service: ConnectorService, rehearsal: Rehearsal
) -> None:
    service.create(Submission("logs", sink_config()))
    with pytest.raises(AlreadyExistsError):
        rehearsal.plan_create(Submission("logs", sink_config()))
    with pytest.raises(InvalidConnectorError):
        rehearsal.plan_configure("logs", sink_config(**{"tasks.max": "0"}))


def test_keys_that_nobody_reads_are_warned_of(rehearsal: Rehearsal) -> None:
    config = sink_config(**{"topcis": "x", "iceberg.tabels": "y", "frazil.unknown.keys": "warn"})
    warnings = rehearsal.plan_create(Submission("logs", config)).warnings
    assert "topcis is not a key of this connector and is ignored." in warnings
    assert any("Did you mean iceberg.tables?" in warning for warning in warnings)
