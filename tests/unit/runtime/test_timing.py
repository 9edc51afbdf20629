"""What is measured of a call, and under which labels."""

from collections.abc import MutableMapping
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from frazil.runtime.timing import Timing

Message = MutableMapping[str, Any]


class Clock:
    """Tells the seconds that it was told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("frazil.runtime.timing.time", SimpleNamespace(perf_counter=clock))
    return clock


async def nothing() -> Message:
    return {"type": "http.disconnect"}


class App:
    """Takes 2 s to begin its answer, and 50 s more to end it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def __call__(self, scope: Message, _receive: object, send: Any) -> None:
        scope["route"] = SimpleNamespace(path="/things/{name}")
        self._clock.now += 2
        await send({"type": "http.response.start", "status": 200})
        self._clock.now += 50
        await send({"type": "http.response.body"})


async def call(app: Any, method: str, kind: str = "http") -> list[Message]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await Timing(app)({"type": kind, "method": method, "path": "/things/a"}, nothing, send)
    return sent


def seconds(method: str, route: str, status: str) -> float | None:
    """Return the time of the only call of a method, which each test has for itself."""
    labels = {"method": method, "route": route, "status": status}
    name = "frazil_http_request_seconds"
    assert REGISTRY.get_sample_value(f"{name}_count", labels) in (None, 1)
    return REGISTRY.get_sample_value(f"{name}_sum", labels)


async def test_the_time_until_the_answer_begins_counts_for_the_template_of_the_route(
    clock: Clock,
) -> None:
    sent = await call(App(clock), "STREAM")
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert seconds("STREAM", "/things/{name}", "200") == 2


async def test_a_call_that_dies_without_an_answer_is_a_500(clock: Clock) -> None:
    async def dying(*_: object) -> None:
        clock.now += 3
        raise ValueError("died")

    with pytest.raises(ValueError, match="died"):
        await call(dying, "DIE")
    assert seconds("DIE", "unmatched", "500") == 3


async def test_what_is_no_call_is_not_measured(clock: Clock) -> None:
    await call(App(clock), "SOCKET", kind="websocket")
    assert seconds("SOCKET", "/things/{name}", "200") is None
