"""How far the pull of an image is, and that its failure is told once."""

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.docker_pull import Progress, Pulls


def step(layer: str, status: str, current: int = 0, total: int = 0) -> dict[str, Any]:
    detail = {"current": current, "total": total} if total else {}
    return {"id": layer, "status": status, "progressDetail": detail}


@pytest.mark.parametrize(
    ("events", "percent"),
    [
        ([], 0),
        ([{"status": "Pulling from library/x", "id": "latest"}], 0),
        ([step("a", "Downloading", 30, 100)], 30),
        ([step("a", "Downloading", 30, 100), step("b", "Downloading", 0, 200)], 10),
        ([step("a", "Downloading", 30, 100), step("a", "Download complete")], 100),
        ([step("a", "Downloading", 90, 100), step("a", "Extracting", 5, 100)], 90),
        ([step("a", "Already exists")], 0),
    ],
)
def test_progress_is_the_share_of_bytes_that_are_here(
    events: list[dict[str, Any]], percent: int
) -> None:
    progress = Progress()
    for event in events:
        progress.note(event)
    assert progress.percent == percent


class Registry:
    """Gives an image away piece by piece, when it is told to."""

    def __init__(self, *events: Mapping[str, Any], error: str | None = None) -> None:
        self.asked: list[str] = []
        self.go_on = threading.Semaphore(0)
        self.at_rest = threading.Semaphore(0)
        self._events = events
        self._error = error

    def pull(self, image: str) -> Iterator[Mapping[str, Any]]:
        self.asked.append(image)
        for event in self._events:
            yield event
            self.at_rest.release()
            self.go_on.acquire(timeout=5)
        if self._error:
            raise EngineError(self._error)


def until_over(pulls: Pulls, image: str) -> None:
    pause = threading.Event()
    for _ in range(500):
        if pulls.sentence(image) is None:
            return
        pause.wait(0.01)
    raise AssertionError("the pull does not end")


def test_one_pull_serves_all_who_want_the_image_and_says_how_far_it_is() -> None:
    registry = Registry(step("a", "Downloading", 43, 100))
    pulls = Pulls(registry.pull)
    pulls.begin("x:1")
    registry.at_rest.acquire(timeout=5)
    pulls.begin("x:1")
    assert pulls.sentence("x:1") == "pulling image x:1: 43 %"
    assert pulls.sentence("y:1") is None
    registry.go_on.release()
    until_over(pulls, "x:1")
    assert registry.asked == ["x:1"]


@pytest.mark.parametrize(
    "registry", [Registry({"error": "no such host"}), Registry(error="no such host")]
)
def test_a_pull_that_failed_is_told_once_and_then_tried_again(registry: Registry) -> None:
    pulls = Pulls(registry.pull)
    registry.go_on.release(9)
    pulls.begin("x:1")
    until_over(pulls, "x:1")
    with pytest.raises(EngineError, match="the image x:1 cannot be pulled: no such host"):
        pulls.begin("x:1")
    pulls.begin("x:1")
    until_over(pulls, "x:1")
    assert registry.asked == ["x:1", "x:1"]
