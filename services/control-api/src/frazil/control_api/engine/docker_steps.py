"""What takes more than one question to the daemon."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from frazil.contracts.assignment import STATUS_FILE
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.docker import ConflictError, Daemon, GoneError, TooLargeError
from frazil.control_api.engine.docker_spec import VOLUME, only_file


async def launch(daemon: Daemon, name: str, description: Mapping[str, Any], *files: bytes) -> str:
    """Start a container with what these archives hold, and return its id; or leave none."""
    await discard(daemon, name)
    try:
        container = await daemon.create(name, description)
        for archive in files:
            await daemon.put(name, VOLUME, archive)
        await daemon.start(name)
    except EngineError:
        with suppress(EngineError):
            await discard(daemon, name)
        raise
    return container


async def discard(daemon: Daemon, container: str) -> None:
    """Remove a container that does not live, with its volume."""
    # It is gone, or is being removed already.
    with suppress(GoneError, ConflictError):
        await daemon.remove(container)


async def signal(daemon: Daemon, container: str, name: str) -> None:
    """Send a signal to a container, if it lives."""
    # There is none, or it has ended.
    with suppress(GoneError, ConflictError):
        await daemon.signal(container, name)


async def status_in(daemon: Daemon, container: str, folder: PurePosixPath) -> WorkerStatus | None:
    """Fetch what the worker wrote last; a dead one's file is still in its volume."""
    try:
        return WorkerStatus.model_validate_json(
            only_file(await daemon.get(container, folder / STATUS_FILE))
        )
    except (GoneError, TooLargeError, ValidationError):
        return None
