"""The logs of a stack's services and workers, merged as they come."""

import time
from collections.abc import Callable
from pathlib import Path

from frazil.cli.folder import StackFolder
from frazil.cli.waiting import tail
from frazil.contracts.naming import connector_of
from frazil.runtime.errors import UserError

_LINES = 40
_POLL_SECONDS = 0.3


class NoLogError(UserError):
    def __init__(self, service: str | None, known: list[str]) -> None:
        wanted = f"Nothing is called '{service}' here" if service else "There are no logs yet"
        super().__init__(f"{wanted}. Known: {', '.join(known) or 'none'}.")


def log_files(folder: StackFolder, service: str | None) -> dict[str, Path]:
    """Return the newest log of each service and connector, or of the one that is named."""
    files = {path.stem: path for path in sorted(folder.log("*").parent.glob("*.log"))}
    for connector in sorted(path for path in folder.runs.glob("*") if path.is_dir()):
        logs = list(connector.glob("*/worker.log"))
        if logs:
            files[connector_of(connector.name)] = max(logs, key=lambda log: log.stat().st_mtime)
    wanted = {name: path for name, path in files.items() if service in (None, name)}
    if not wanted:
        raise NoLogError(service, list(files))
    return wanted


def show(files: dict[str, Path], say: Callable[[str], None]) -> None:
    for name, path in files.items():
        for line in tail(path, _LINES).splitlines():
            say(_prefixed(name, line))


def follow(find: Callable[[], dict[str, Path]], say: Callable[[str], None]) -> None:
    """Say every new line until interrupted; logs that appear later are followed too."""
    positions = {path: path.stat().st_size for path in find().values()}
    while True:
        for name, path in find().items():
            if path.stat().st_size < positions.setdefault(path, 0):
                # A worker has begun a new file in its place.
                positions[path] = 0
            new = _whole_lines(path, positions[path])
            positions[path] += len(new)
            for line in new.decode(errors="replace").splitlines():
                say(_prefixed(name, line))
        time.sleep(_POLL_SECONDS)


def _whole_lines(path: Path, position: int) -> bytes:
    """Read from the position to the last line that is complete."""
    with path.open("rb") as file:
        file.seek(position)
        text = file.read()
    return text[: text.rfind(b"\n") + 1]


def _prefixed(name: str, line: str) -> str:
    return f"{name:<12} | {line}"
