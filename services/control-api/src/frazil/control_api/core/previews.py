"""Previews: workers that only tell what a connector would do. The engine is their one memory."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.plugins import find_plugin
from frazil.contracts.preview import Preview
from frazil.contracts.states import WorkerState
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.ending import ending_of
from frazil.control_api.core.errors import (
    EngineError,
    NotFoundError,
    TooManyPreviewsError,
)
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.core.paused_tables import require_tables
from frazil.control_api.core.ports import Clock, Engine, Outfit

_SECONDS = 600.0
"""For how long a preview may take, and can be asked for."""
_MOST = 2
# No connector can have such a name, for none may have a control character.
_NAME = re.compile(r"preview\t((\d+)-\w+)")


class PreviewState(StrEnum):
    STARTING = "STARTING"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"

    @property
    def is_final(self) -> bool:
        return self in (PreviewState.DONE, PreviewState.FAILED)


@dataclass(frozen=True, slots=True)
class PreviewRun:
    """`trace` is why it has failed."""

    id: str
    state: PreviewState
    trace: str | None
    found: Preview


def seconds_left(name: str, now: float) -> float:
    """Tell for how long a name is that of a preview which nobody has to see to."""
    found = _NAME.fullmatch(name)
    return 0.0 if found is None else max(0.0, int(found[2]) + _SECONDS - now)


class Previews:
    """Whichever process began one, each of them can tell of it."""

    def __init__(
        self,
        engine: Engine,
        look: Callable[[str], Awaitable[Observation]],
        outfit: Outfit,
        *,
        clock: Clock,
        token: Callable[[], str],
    ) -> None:
        self._engine = engine
        self._look = look
        self._outfit = outfit
        self._clock = clock
        self._token = token

    async def begin(self, connector: Connector, records: int) -> str:
        """Start a worker that tells, under a name of its own, and return the preview's id."""
        plugin = find_plugin(connector.config["connector.class"])
        require_tables(connector, plugin.read(connector.config))
        await self._require_room()
        now = int(self._clock.now())
        preview_id = f"{now}-{self._token()}"
        order = await self._outfit(connector, _name(preview_id), epoch=now, records=records)
        await self._engine.start(order, plugin.worker)
        waits = (await self._look(_name(preview_id))).preparing
        if waits is not None:
            await self._engine.remove(_name(preview_id))
            raise EngineError(f"A preview cannot be started yet: {waits}. Try again then")
        return preview_id

    async def find(self, preview_id: str) -> PreviewRun:
        name = _name(preview_id)
        seen = (await self._look(name)).workers if _NAME.fullmatch(name) else ()
        if not seen:
            raise NotFoundError(f"No preview {preview_id}: it is kept for {_SECONDS:.0f} s")
        return _run(preview_id, seen[0])

    async def end(self, preview_id: str) -> None:
        """End a preview, and forget it."""
        await self.find(preview_id)
        name = _name(preview_id)
        for worker in (await self._look(name)).living:
            await self._engine.kill(name, worker.epoch)
        await self._engine.remove(name)

    async def _require_room(self) -> None:
        names = [name for name in await self._engine.connectors() if _NAME.fullmatch(name)]
        living = [name for name in names if (await self._look(name)).living]
        if len(living) >= _MOST:
            raise TooManyPreviewsError(f"{_MOST} previews are being made already; try again soon")


def _name(preview_id: str) -> str:
    return f"preview\t{preview_id}"


def _run(preview_id: str, worker: Worker) -> PreviewRun:
    status = worker.status
    found = (status.preview if status else None) or Preview()
    code = status.exit_code if status else None
    if code is ExitCode.OK:
        return PreviewRun(preview_id, PreviewState.DONE, None, found)
    if code is not None or not worker.alive:
        trace = ending_of("the preview", worker).trace
        return PreviewRun(preview_id, PreviewState.FAILED, trace, found)
    is_running = status is not None and status.state is WorkerState.RUNNING
    state = PreviewState.RUNNING if is_running else PreviewState.STARTING
    return PreviewRun(preview_id, state, None, found)
