from typing import Any

import httpx
import pytest

from frazil.cli import connectors
from frazil.cli.connectors import ConnectorFailedError, Patience, view
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


def test_a_connector_that_stays_failed_is_told_with_its_trace() -> None:
    failed = view("sink", _status("RUNNING", {"state": "FAILED", "trace": "no such table"}))
    moments = iter([0.0, 9.0, 10.0])
    patience = Patience(10, now=lambda: next(moments))
    patience.require_none_failed([failed])
    patience.require_none_failed([failed])
    with pytest.raises(ConnectorFailedError, match=r"sink is FAILED:\nno such table"):
        patience.require_none_failed([failed])


def test_a_worker_that_is_started_again_is_waited_for_each_time() -> None:
    failed = view("sink", _status("RUNNING", {"state": "FAILED"}))
    running = view("sink", _status("RUNNING", {"state": "RUNNING"}))
    moments = iter([0.0, 9.0, 18.0, 27.0])
    patience = Patience(10, now=lambda: next(moments))
    for seen in (failed, running, failed, failed):
        patience.require_none_failed([seen])


def test_a_token_is_shown_with_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    def get(_url: str, *, headers: object, timeout: float) -> httpx.Response:
        del timeout
        shown.append(headers)
        return httpx.Response(200, json={})

    monkeypatch.setattr(httpx, "get", get)
    connectors.connector_views("http://a", {"Authorization": "Bearer t"})
    connectors.connector_ledger("http://a", "c", headers={"Authorization": "Bearer t"})
    connectors.expanded_connectors("http://a", {"Authorization": "Bearer t"})
    assert shown == [{"Authorization": "Bearer t"}] * 3


def test_a_ledger_is_asked_for_by_name_and_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def get(url: str, *_: object, **__: object) -> dict[str, Any]:
        asked.append(url)
        return {}

    monkeypatch.setattr(connectors, "_get", get)
    connectors.connector_ledger("http://a", "c/d")
    connectors.connector_ledger("http://a", "c", "mended")
    assert asked == [
        "http://a/connectors/c%2Fd/ledger",
        "http://a/connectors/c/ledger?branch=mended",
    ]
