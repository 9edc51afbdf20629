"""Random calls while the control API is killed again and again, and its workers now and then.

No connector is lost, none runs twice, every answer is honest or absent.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support import beliefs
from tests.support.api_process import ApiProcess
from tests.support.beliefs import Beliefs, Call, There
from tests.support.lab import wait_until

from frazil.contracts.naming import connector_of
from frazil.contracts.states import ConnectState, Target
from frazil.runtime.child import Child

SEED = 4
CALLS = 300
NAMES = ["a", "b", "c", "d/e", "ü"]
MAKERS = [
    *(beliefs.create, beliefs.create, beliefs.put, beliefs.patch, beliefs.restart, beliefs.delete),
    *(beliefs.pause, beliefs.resume, beliefs.resume, beliefs.stop, beliefs.config),
]
KILLS_EVERY = 30  # calls, on average
PAUSE_SECONDS = 0.05


class Chaos:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs = folder / "runs"
        self._dice = random.Random(SEED)  # noqa: S311 (the same each time)
        self.beliefs = Beliefs(NAMES)
        self.kills = self.absent = 0
        self.api = self._start()

    def step(self, number: int) -> None:
        name = self._dice.choice(NAMES)
        call = self._dice.choice(MAKERS)(name, number)
        if self._dice.random() < 1 / KILLS_EVERY:
            self._make_while_killed(call)
        else:
            self._make(call)
        if self._dice.random() < 1 / KILLS_EVERY:
            self._kill_worker()
        self.look(name)
        time.sleep(PAUSE_SECONDS)

    def look(self, name: str) -> None:
        """Check what can be seen without a change."""
        assert max(self.living().values(), default=0) <= 1, "a connector runs twice"
        self.beliefs.listed(set(self.api.http.get("/connectors").json()))
        state = self.state(name)
        if state is not None:
            self.beliefs.shown(name, state)

    def living(self) -> Counter[str]:
        return Counter(connector_of(run.parent.name) for run in self._living())

    def state(self, name: str) -> ConnectState | None:
        response = self.api.http.get(f"/connectors/{_quoted(name)}/status")
        if response.status_code == 404:
            return None
        return ConnectState(response.json()["connector"]["state"])

    def close(self) -> None:
        self.api.close()
        for run in self._runs.glob("*/*"):
            Child(run).stop(grace=0)

    def _make(self, call: Call) -> None:
        path = call.path.replace(f"/{call.name}", f"/{_quoted(call.name)}")
        try:
            response = self.api.http.request(call.method, path, json=call.body)
        except httpx.TransportError:
            self.absent += 1
            self.beliefs.not_answered(call)
        else:
            self.beliefs.answered(call, response)

    def _make_while_killed(self, call: Call) -> None:
        killer = threading.Timer(self._dice.uniform(0, 0.02), self.api.kill)
        killer.start()
        self._make(call)
        killer.join()
        self.kills += 1
        self.api.close()
        self.api = self._start()

    def _kill_worker(self) -> None:
        runs = list(self._living())
        if runs:
            Child(self._dice.choice(runs)).stop(grace=0)

    def _living(self) -> Iterator[Path]:
        return (run for run in sorted(self._runs.glob("*/*")) if Child(run).is_alive())

    def _start(self) -> ApiProcess:
        settings = {
            "FRAZIL_HOME": str(self._folder),
            "FRAZIL_RUN_FOLDER": str(self._runs),
            # By it configurations are told apart, and there are many.
            "FRAZIL_MAX_TASKS": "100000",
        }
        api = ApiProcess(self._folder, **settings)
        wait_until("the control API leads", lambda: api.role() == "leader", 30)
        return api


def _quoted(name: str) -> str:
    return name.replace("/", "%2F")


@pytest.fixture
def chaos(tmp_path: Path) -> Iterator[Chaos]:
    chaos = Chaos(tmp_path)
    yield chaos
    chaos.close()


def test_no_connector_is_lost_none_runs_twice_and_every_answer_is_honest_or_absent(
    chaos: Chaos,
) -> None:
    for number in range(CALLS):
        chaos.step(number + 1)
    assert chaos.kills >= 5
    assert chaos.absent >= 1
    for name in NAMES:
        chaos.beliefs.listed(set(chaos.api.http.get("/connectors").json()))
        wait_until(f"{name} is as wanted", lambda: is_as_wanted(chaos, name), 60)  # noqa: B023


def is_as_wanted(chaos: Chaos, name: str) -> bool:
    state, living = chaos.state(name), chaos.living()[name]
    return any(
        (state, living) == ((None, 0) if one is None else _end_of(one))
        for one in chaos.beliefs.of(name)
    )


def _end_of(one: There) -> tuple[ConnectState, int]:
    return ConnectState(one.target.value), int(one.target is Target.RUNNING)
