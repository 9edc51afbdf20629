"""What was opened before a failure is closed again, and kept if there is none."""

import pytest

from frazil.worker.opening import opening


class Door:
    def __init__(self, name: str, seen: list[str], fault: Exception | None = None) -> None:
        self._name = name
        self._seen = seen
        self._fault = fault

    def close(self) -> None:
        self._seen.append(self._name)
        if self._fault is not None:
            raise self._fault


def test_all_stay_open_if_nothing_fails() -> None:
    seen: list[str] = []
    with opening() as opened:
        opened.keep(Door("first", seen))
    assert seen == []


def test_a_failure_closes_the_last_first_and_is_told_though_the_jvm_is_gone() -> None:
    seen: list[str] = []

    def start() -> None:
        with opening() as opened:
            opened.keep(Door("first", seen))
            opened.keep(Door("second", seen, ConnectionError("the JVM is gone")))
            raise LookupError("no such topic")

    with pytest.raises(LookupError, match="no such topic"):
        start()
    assert seen == ["second", "first"]
