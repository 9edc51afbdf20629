"""What may be true of connectors when some answers never came: the judge of the chaos test."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx
from tests.support.control_api import sink_config

from frazil.contracts.states import ConnectState, Target

# What may not be shown of a connector, whatever its worker does: a rest that nobody asked for.
DISHONEST = {
    Target.RUNNING: {ConnectState.PAUSED, ConnectState.STOPPED},
    Target.PAUSED: {ConnectState.STOPPED},
    Target.STOPPED: {ConnectState.PAUSED},
}


@dataclass(frozen=True)
class There:
    """A connector; None stands for one that is not there."""

    version: int
    target: Target = Target.RUNNING


State = There | None
Answer = tuple[int, object]


@dataclass(frozen=True)
class Call:
    """A request, and what it answers and leaves behind in each state.

    `read` takes from an answer what `outcome` foretells beside the status.
    """

    name: str
    method: str
    path: str
    outcome: Callable[[State], tuple[Answer, State]]
    body: object = None
    read: Callable[[Any], object] = lambda _body: None

    def answer(self, response: httpx.Response) -> Answer:
        good = response.is_success and response.content
        return response.status_code, self.read(response.json()) if good else None


class Beliefs:
    """The states that each connector may be in."""

    def __init__(self, names: list[str]) -> None:
        self._states: dict[str, set[State]] = {name: {None} for name in names}

    def answered(self, call: Call, response: httpx.Response) -> None:
        """Learn from an answer, which has to be possible."""
        answer = call.answer(response)
        before = self._states[call.name]
        after = {left for state in before for told, left in [call.outcome(state)] if told == answer}
        assert after, f"{call.method} {call.path} of {before} answered {answer}: {response.text}"
        self._states[call.name] = after

    def not_answered(self, call: Call) -> None:
        """It may have been done and it may not."""
        self._states[call.name] |= {call.outcome(state)[1] for state in self._states[call.name]}

    def listed(self, names: set[str]) -> None:
        for name, states in self._states.items():
            fitting = {state for state in states if (state is not None) == (name in names)}
            assert fitting, f"{name} is {'' if name in names else 'not '}listed: {states}"
            self._states[name] = fitting

    def shown(self, name: str, state: ConnectState) -> None:
        possible = [one for one in self._states[name] if one is not None]
        assert any(state not in DISHONEST[one.target] for one in possible), (name, state, possible)

    def of(self, name: str) -> set[State]:
        return self._states[name]


def create(name: str, version: int) -> Call:
    def outcome(state: State) -> tuple[Answer, State]:
        return ((201, None), There(version)) if state is None else ((409, None), state)

    body = {"name": name, "config": _config(version)}
    return Call(name, "POST", "/connectors", outcome, body)


def put(name: str, version: int) -> Call:
    def outcome(state: State) -> tuple[Answer, State]:
        if state is None:
            return (201, None), There(version)
        return (200, None), replace(state, version=version)

    return Call(name, "PUT", f"/connectors/{name}/config", outcome, _config(version))


def patch(name: str, version: int) -> Call:
    outcome = _of_present(200, lambda state: replace(state, version=version))
    body = {"tasks.max": str(version)}
    return Call(name, "PATCH", f"/connectors/{name}/config", outcome, body)


def pause(name: str, _version: int) -> Call:
    return _aim(name, "pause", 202, Target.PAUSED)


def resume(name: str, _version: int) -> Call:
    return _aim(name, "resume", 202, Target.RUNNING)


def stop(name: str, _version: int) -> Call:
    return _aim(name, "stop", 204, Target.STOPPED)


def restart(name: str, _version: int) -> Call:
    return Call(name, "POST", f"/connectors/{name}/restart", _of_present(204, lambda state: state))


def delete(name: str, _version: int) -> Call:
    return Call(name, "DELETE", f"/connectors/{name}", _of_present(204, lambda _state: None))


def config(name: str, _version: int) -> Call:
    def outcome(state: State) -> tuple[Answer, State]:
        return ((404, None) if state is None else (200, str(state.version))), state

    path = f"/connectors/{name}/config"
    return Call(name, "GET", path, outcome, read=lambda body: body["tasks.max"])


def _aim(name: str, verb: str, status: int, target: Target) -> Call:
    outcome = _of_present(status, lambda state: replace(state, target=target))
    return Call(name, "PUT", f"/connectors/{name}/{verb}", outcome)


def _of_present(
    status: int, change: Callable[[There], State]
) -> Callable[[State], tuple[Answer, State]]:
    return lambda state: ((404, None), None) if state is None else ((status, None), change(state))


def _config(version: int) -> dict[str, str]:
    return sink_config(**{"tasks.max": str(version)})
