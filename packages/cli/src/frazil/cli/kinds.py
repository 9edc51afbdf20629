"""What every verb needs of a stack, whether it is made of processes or of containers."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from frazil.contracts.log_topics import Topic
from frazil.runtime.errors import UserError

CONTAINERS = "containers"
"""The name of the stack of containers; every other name is that of a local one."""


class NotLocalError(UserError):
    def __init__(self) -> None:
        super().__init__(
            f"'{CONTAINERS}' is the stack of containers, which `frazil start` starts; give the "
            "local one another name."
        )


Answer = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Columns and rows, as they are shown."""


class AnyStack(Protocol):
    """Each call raises a UserError if the stack is not in a state for it."""

    @property
    def name(self) -> str:
        """What `--stack` calls it."""

    @property
    def api_url(self) -> str: ...

    @property
    def headers(self) -> Mapping[str, str]:
        """What its control API asks to be shown."""

    @property
    def bootstrap_servers(self) -> str: ...

    @property
    def log_topics(self) -> Mapping[Topic, str]:
        """Name the topic of each log."""

    def stop(self) -> None: ...

    def deletable(self) -> Sequence[str]:
        """List what `clean` would delete, by names for a person to recognize."""

    def clean(self) -> None:
        """Delete all data."""

    def show_status(self) -> None: ...

    def show_logs(self, service: str | None, *, follow: bool) -> None: ...

    def tables(self) -> Answer:
        """List them with their numbers of rows."""

    def ask(self, question: str) -> Answer:
        """Answer SQL; a lone table name stands for its first rows."""
