"""Where a local stack keeps its things, and what it says of itself there."""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ValidationError

from frazil.cli.catalog import CatalogKey
from frazil.cli.ports import Ports
from frazil.contracts.hosting import HOST_LINK, HOSTS_FOLDER
from frazil.runtime.child import Child
from frazil.runtime.errors import UserError

_NAME = re.compile(r"[A-Za-z0-9_-]+")


class NotStartedError(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"The stack '{name}' is not running. Start it with "
            f"`frazil dev --detach --stack {name}`."
        )


class BadStackNameError(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"'{name}' is no name for a stack: it becomes a folder, so letters, digits, "
            "'-' and '_' only."
        )


class StackState(BaseModel):
    """What `stack.json` says of a stack that was started."""

    name: str
    started: datetime
    ports: Ports
    pids: dict[str, int]


@dataclass(frozen=True)
class StackFolder:
    home: Path
    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise BadStackNameError(self.name)

    @property
    def root(self) -> Path:
        return self.home / "stacks" / self.name

    @property
    def start_lock(self) -> Path:
        """Held while the stack is started; beside the folder, for that may be deleted first."""
        return self.root.with_suffix(".lock")

    @property
    def kafka(self) -> Path:
        return self.root / "kafka"

    @property
    def catalog(self) -> Path:
        return self.root / "catalog"

    @property
    def catalog_key(self) -> CatalogKey:
        return CatalogKey(self.root / "keys")

    @property
    def control_database(self) -> Path:
        return self.root / "control-api.db"

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    def log(self, service: str) -> Path:
        return self.root / "logs" / f"{service}.log"

    def service(self, name: str) -> Child:
        return Child(self.root / "services" / name)

    def workers(self) -> list[Child]:
        """List the workers that live; their run folders are kept by the control API."""
        # Those that share a process have a link to the folder of that.
        locks = [*self.runs.glob("*/*/lock"), *self.runs.glob(f"{HOSTS_FOLDER}/*/*/lock")]
        children = (Child(lock.parent) for lock in sorted(locks))
        return [child for child in children if child.is_alive() and not _is_member(child)]

    def write_state(self, state: StackState) -> None:
        self._state_file.write_text(state.model_dump_json(indent=2))

    def read_state(self) -> StackState:
        """Raise NotStartedError for a stack that never was up, or only under an older release."""
        try:
            return StackState.model_validate_json(self._state_file.read_text())
        except (FileNotFoundError, ValidationError) as error:
            raise NotStartedError(self.name) from error

    @property
    def _state_file(self) -> Path:
        return self.root / "stack.json"


def _is_member(child: Child) -> bool:
    return (child.folder / HOST_LINK).is_symlink()
