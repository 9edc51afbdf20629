"""A host's folder: what it was started for, and links to the run folders that it is to take up."""

import hashlib
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from frazil.contracts.assignment import LOG_FILE
from frazil.contracts.hosting import HOSTING_FILE, MEMBERS_FOLDER, Hosting
from frazil.runtime.child import Child, ChildRunsError


@dataclass(frozen=True, slots=True)
class HostFolder:
    """All methods block."""

    path: Path

    @property
    def log(self) -> Path:
        return self.path / LOG_FILE

    @property
    def hosting(self) -> Hosting | None:
        try:
            return Hosting.model_validate_json((self.path / HOSTING_FILE).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def is_alive(self) -> bool:
        return Child(self.path).is_alive()

    def start(
        self,
        hosting: Hosting,
        command: Callable[[Path], Sequence[str]],
        environment: Mapping[str, str] | None,
    ) -> "subprocess.Popen[bytes] | None":
        """Start it; None if it lives already."""

        def prepare() -> Sequence[str]:
            self._members.mkdir(exist_ok=True)
            (self.path / HOSTING_FILE).write_text(hosting.model_dump_json())
            return command(self.path)

        try:
            return Child(self.path).spawn(prepare, log=self.log, environment=environment)
        except ChildRunsError:
            return None

    def link(self, run: Path) -> None:
        """Have it take up a run folder in place of an older one of the same connector.

        A host for one is nobody else's from then on.
        """
        self._members.mkdir(parents=True, exist_ok=True)
        for link in self._members.iterdir():
            if link.resolve().parent == run.parent:
                link.unlink(missing_ok=True)
        self._taken.touch()
        self._link(run).symlink_to(run)

    def has_link(self, run: Path) -> bool:
        return self._link(run).is_symlink()

    @property
    def is_taken(self) -> bool:
        return self._taken.exists()

    def members(self) -> list[Path]:
        """Return the run folders that it has, or is still to take up."""
        try:
            return [link.resolve() for link in self._members.iterdir()]
        except FileNotFoundError:
            return []

    def died_on(self, run: Path) -> bool:
        """Tell whether it was started with this run folder to take up, and is dead."""
        try:
            linked = self._link(run).lstat().st_mtime_ns
        except FileNotFoundError:
            return False
        started = Child(self.path).started_ns
        return started is not None and started > linked and not self.is_alive()

    def ask_to_end(self) -> None:
        Child(self.path).ask_to_stop()

    def kill(self) -> None:
        Child(self.path).kill()

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    @property
    def _members(self) -> Path:
        return self.path / MEMBERS_FOLDER

    @property
    def _taken(self) -> Path:
        return self.path / "taken"

    def _link(self, run: Path) -> Path:
        """Name the link: folder names of connectors may be as long as names can be."""
        return self._members / hashlib.sha256(str(run).encode()).hexdigest()[:24]
