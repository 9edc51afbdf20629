from pathlib import Path

import pytest

from frazil.cli.waiting import ServiceFailedError, tail, wait_until_ready
from frazil.runtime.child import Child


def _wait(tmp_path: Path, *, child: Child, seconds: float) -> None:
    log = tmp_path / "log"
    log.write_text("java.net.BindException: taken\n")
    wait_until_ready("The broker", lambda: False, child=child, log=log, seconds=seconds)


def test_a_service_that_ended_is_reported_at_once_with_its_log(tmp_path: Path) -> None:
    with pytest.raises(ServiceFailedError, match=r"ended at once.*\n.*BindException"):
        _wait(tmp_path, child=Child(tmp_path / "dead"), seconds=3600)


def test_a_service_that_never_answers_is_given_up(tmp_path: Path) -> None:
    child = Child(tmp_path / "alive")
    child.start(["/bin/sleep", "60"], environment={}, log=tmp_path / "sleep.log")
    try:
        with pytest.raises(ServiceFailedError, match="did not answer within 0 s"):
            _wait(tmp_path, child=child, seconds=0)
    finally:
        child.stop(5)


def test_the_tail_is_the_last_lines_only(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"{number}\n" for number in range(100)))
    assert tail(log, 2) == "98\n99\n"
    assert tail(tmp_path / "none") == ""
