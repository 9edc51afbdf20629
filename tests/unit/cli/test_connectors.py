from typing import Any

import pytest

from frazil.cli.connectors import ConnectorFailedError, require_none_failed, view
from frazil.contracts.states import ConnectState


def _status(connector: str, *tasks: dict[str, str]) -> dict[str, Any]:
    return {"name": "sink", "connector": {"state": connector}, "tasks": list(tasks)}


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (_status("RUNNING", {"state": "RUNNING"}), ConnectState.RUNNING),
        (_status("RUNNING", {"state": "RUNNING"}, {"state": "FAILED"}), ConnectState.FAILED),
        (_status("RUNNING", {"state": "UNASSIGNED"}), ConnectState.UNASSIGNED),
        (_status("STOPPED"), ConnectState.STOPPED),
    ],
    ids=["runs", "one task failed", "starting", "no tasks"],
)
def test_a_connector_is_as_well_as_its_worst_part(
    status: dict[str, Any], state: ConnectState
) -> None:
    assert view("sink", status).state is state


def test_a_failure_is_shown_with_its_trace() -> None:
    failed = view("sink", _status("RUNNING", {"state": "FAILED", "trace": "no such table"}))
    with pytest.raises(ConnectorFailedError, match=r"sink is FAILED:\nno such table"):
        require_none_failed([failed])
