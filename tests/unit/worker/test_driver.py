"""A driver that is not there, yet or any more, keeps nobody waiting."""

import threading
from pathlib import Path

import pytest

from frazil.contracts.hosting import Hosting
from frazil.runtime.hiding import Hiding
from frazil.worker.connector import Jobs
from frazil.worker.driver import Driver
from frazil.worker.errors import UnavailableError
from frazil.worker.settings import WorkerSettings

SECONDS = 10


@pytest.fixture
def driver(tmp_path: Path) -> Driver:
    hosting = Hosting(group="g", memory="512m")
    return Driver(WorkerSettings(), tmp_path, hosting, Jobs("frazil.spark_sink"), hiding=Hiding())


def test_nothing_is_cancelled_in_a_driver_that_has_not_come_up(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def come_up_late(*_: object, **__: object) -> None:
        asked.set()
        go_on.wait(SECONDS)
        raise UnavailableError("The JVM did not answer.")

    monkeypatch.setattr("frazil.worker.driver.running_jvm", come_up_late)
    driver.start()
    assert asked.wait(SECONDS)
    driver.cancel("logs")
    assert not driver.has_ended
    go_on.set()
    driver.end()
    driver.cancel("logs")
    assert driver.has_ended
