"""Images that are being loaded: how far each is, and why one could not be had."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from frazil.control_api.core.errors import EngineError
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

Pull = Callable[[str], Iterable[Mapping[str, Any]]]


class Progress:
    """Adds up what the daemon says of the layers of one image."""

    def __init__(self) -> None:
        self._layers: dict[str, tuple[int, int]] = {}
        self.error: str | None = None

    def note(self, event: Mapping[str, Any]) -> None:
        self.error = event.get("error", self.error)
        detail = event.get("progressDetail") or {}
        layer, status = event.get("id", ""), event.get("status", "")
        if status == "Downloading" and detail.get("total"):
            self._layers[layer] = (detail["current"], detail["total"])
        elif status in ("Download complete", "Pull complete") and layer in self._layers:
            total = self._layers[layer][1]
            self._layers[layer] = (total, total)

    @property
    def percent(self) -> int:
        total = sum(total for _, total in self._layers.values())
        return 100 * sum(current for current, _ in self._layers.values()) // total if total else 0


class Pulls:
    """One thread an image, which ends with the process."""

    def __init__(self, pull: Pull) -> None:
        self._pull = pull
        self._running: dict[str, Progress] = {}
        self._failed: dict[str, str] = {}

    def begin(self, image: str) -> None:
        """Load an image, unless that goes on already.

        Raises EngineError, once, if the last attempt has failed.
        """
        if image in self._running:
            return
        if (reason := self._failed.pop(image, None)) is not None:
            raise EngineError(f"the image {image} cannot be pulled: {reason}")
        log.info("image_pull_begins", image=image)
        progress = self._running[image] = Progress()
        threading.Thread(target=self._run, args=[image, progress], daemon=True).start()

    def sentence(self, image: str | None) -> str | None:
        """Say how far it is; None if it is not being loaded."""
        progress = self._running.get(image or "")
        return None if progress is None else f"pulling image {image}: {progress.percent} %"

    def _run(self, image: str, progress: Progress) -> None:
        try:
            for event in self._pull(image):
                progress.note(event)
            reason = progress.error
        except Exception as error:  # noqa: BLE001 (whatever it was, the image is not here)
            reason = str(error)
        log.info("image_pull_ended", image=image, failure=reason)
        if reason is not None:
            self._failed[image] = reason
        del self._running[image]
