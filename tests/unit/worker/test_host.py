"""A host takes up what is linked to, and what becomes of one member is no other's matter."""

import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from frazil.contracts.assignment import ASSIGNMENT_FILE, STATUS_FILE, Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.hosting import KILL_FILE, MEMBERS_FOLDER, STOP_FILE, Hosting
from frazil.contracts.states import WorkerState
from frazil.contracts.worker_status import WorkerStatus
from frazil.runtime.child import Child
from frazil.runtime.hiding import Hiding
from frazil.worker.board import StatusBoard
from frazil.worker.errors import BadTableError
from frazil.worker.host import Host
from frazil.worker.probes import Boards

SECONDS = 10
PORT = 4711


class FakeDriver:
    """Its members work until they are stopped; those whose name begins with `bad` fail."""

    def __init__(self) -> None:
        self.has_ended = False
        self.cancelled: list[str] = []
        self.began: dict[str, threading.Event] = {}

    def work(self, assignment: Assignment, board: StatusBoard, stop: threading.Event) -> None:
        board.enter(WorkerState.RUNNING)
        self.of(assignment.connector).set()
        if assignment.connector.startswith("bad"):
            raise BadTableError("There is no such table.")
        assert stop.wait(SECONDS)

    def of(self, connector: str) -> threading.Event:
        return self.began.setdefault(connector, threading.Event())

    def cancel(self, connector: str) -> None:
        self.cancelled.append(connector)


class Script(threading.Event):
    """Does a step each time that the host would rest, and asks it to end after the last."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        super().__init__()
        self._steps = list(steps)

    def wait(self, timeout: float | None = None) -> bool:
        del timeout
        if not self._steps:
            return True
        self._steps.pop(0)()
        return False

    @property
    def is_over(self) -> bool:
        return not self._steps


class Machine:
    """A folder with a host, and with run folders for it."""

    def __init__(self, folder: Path, group: str | None = "g") -> None:
        self._folder = folder
        self.driver, self.boards = FakeDriver(), Boards()
        (folder / MEMBERS_FOLDER).mkdir()
        hosting = Hosting(group=group, memory="512m")
        self.host = Host(
            folder, hosting, self.driver, self.boards, port=PORT, hiding=Hiding(["tr0ub4dor&3"])  # type: ignore[arg-type]
        )  # fmt: skip

    def lay_down(self, name: str) -> None:
        run = self.run(name)
        run.mkdir()
        assignment = Assignment(
            connector=name, epoch=1, generation=1, worker_id="w:1", config={}, kafka={}
        )
        (run / ASSIGNMENT_FILE).write_text(assignment.model_dump_json())
        self.link(name).symlink_to(run)

    def run(self, name: str) -> Path:
        return self._folder / name

    def link(self, name: str) -> Path:
        return self._folder / MEMBERS_FOLDER / name

    def runs(self, name: str) -> Callable[[], object]:
        """Wait until a member works."""
        return lambda: self.driver.of(name).wait(SECONDS)

    def ended(self, name: str) -> Callable[[], object]:
        """Wait until a member's work is over."""

        def wait() -> None:
            members = self.host._members.values()
            next(member for member in members if member.name == name).join(SECONDS)

        return wait

    def ask(self, name: str, file: str) -> Callable[[], object]:
        return (self.run(name) / file).touch

    def status(self, name: str) -> WorkerStatus:
        return WorkerStatus.model_validate_json((self.run(name) / STATUS_FILE).read_bytes())

    def has_ended(self, name: str) -> bool:
        return not (Child(self.run(name)).is_alive() or self.link(name).is_symlink())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_members_live_by_their_locks_and_leave_their_last_words(machine: Machine) -> None:
    machine.lay_down("a")
    machine.lay_down("b")
    seen = []

    def look() -> None:
        machine.runs("a")(), machine.runs("b")()
        alive = [Child(machine.run(name)).is_alive() for name in ("a", "b")]
        seen.append((alive, machine.status("a").port, machine.boards.of("a") is not None))

    machine.host.serve(Script(lambda: None, look))
    assert seen == [([True, True], PORT, True)]
    for name in ("a", "b"):
        assert machine.has_ended(name)
        assert machine.status(name).exit_code is ExitCode.OK
    assert machine.boards.of("a") is None


def test_the_failure_of_one_member_is_no_other_s(machine: Machine) -> None:
    machine.lay_down("bad")
    machine.lay_down("good")
    states = []

    def look() -> None:
        machine.runs("bad")(), machine.runs("good")()
        states.append(machine.status("good").state)

    machine.host.serve(Script(lambda: None, look))
    failed = machine.status("bad")
    assert (failed.state, failed.exit_code) == (WorkerState.FAILED, ExitCode.BAD_TABLE)
    assert "There is no such table." in (failed.trace or "")
    assert states == [WorkerState.RUNNING]


def test_one_that_is_asked_to_stop_ends_and_the_other_goes_on(machine: Machine) -> None:
    machine.lay_down("a")
    machine.lay_down("b")
    states = []

    def look() -> None:
        states.extend([machine.has_ended("a"), machine.status("b").state])

    machine.host.serve(
        Script(
            lambda: None, machine.runs("a"), machine.runs("b"), machine.ask("a", STOP_FILE),
            machine.ended("a"), look,
        )
    )  # fmt: skip
    assert states == [True, WorkerState.RUNNING]


def test_what_a_member_to_be_killed_does_in_spark_is_cancelled(machine: Machine) -> None:
    machine.lay_down("a")
    machine.host.serve(Script(lambda: None, machine.runs("a"), machine.ask("a", KILL_FILE)))
    assert "a" in machine.driver.cancelled
    assert machine.has_ended("a")


def test_a_run_that_was_had_before_is_not_taken_up_again(machine: Machine) -> None:
    machine.lay_down("a")
    (machine.run("a") / STATUS_FILE).write_text("{}")
    machine.host.serve(Script(lambda: None))
    assert not machine.link("a").is_symlink()
    assert (machine.run("a") / STATUS_FILE).read_text() == "{}"


def test_a_folder_that_somebody_looks_at_is_tried_again(machine: Machine) -> None:
    machine.lay_down("a")
    looked_at = Child(machine.run("a")).life
    assert looked_at.take()
    machine.host.serve(Script(lambda: None, looked_at.release, machine.runs("a")))
    assert machine.status("a").exit_code is ExitCode.OK


def test_one_that_waits_takes_one_connector_and_ends_with_it(tmp_path: Path) -> None:
    machine = Machine(tmp_path, group=None)
    script = Script(
        *(lambda: None,) * 2,
        lambda: machine.lay_down("bad"),
        machine.runs("bad"),
        machine.ended("bad"),
        *(lambda: None,) * 2,
    )
    machine.host.serve(script)
    assert machine.status("bad").exit_code is ExitCode.BAD_TABLE
    assert not script.is_over, "it has ended by itself"


def test_a_second_connector_of_one_that_waits_is_left_alone(tmp_path: Path) -> None:
    machine = Machine(tmp_path, group=None)
    machine.lay_down("a")
    machine.lay_down("b")
    machine.host.serve(Script(lambda: None, machine.runs("a")))
    assert not (machine.run("b") / STATUS_FILE).exists()


def test_a_host_without_driver_or_folder_takes_nothing_up(machine: Machine) -> None:
    machine.lay_down("a")
    machine.driver.has_ended = True
    script = Script(*(lambda: None,) * 3)
    machine.host.serve(script)
    assert not script.is_over
    assert not (machine.run("a") / STATUS_FILE).exists()


def test_a_group_lingers_for_the_next_connector_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("frazil.worker.host.time", SimpleNamespace(monotonic=lambda: now[0]))
    machine = Machine(tmp_path)
    waits = Script(lambda: now.__setitem__(0, 1029.0))
    machine.host.serve(waits)
    assert waits.is_over
    tires = Script(lambda: now.__setitem__(0, 1031.0), lambda: None)
    machine.host.serve(tires)
    assert not tires.is_over
