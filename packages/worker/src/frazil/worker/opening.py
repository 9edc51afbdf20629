"""Opening several things, or none: in a shared driver what is left of a start would stay."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Protocol, TypeVar

from frazil.worker.jvm_errors import JVM_GONE


class _Closes(Protocol):
    def close(self) -> None: ...


T = TypeVar("T", bound=_Closes)


class Opening:
    def __init__(self, opened: ExitStack) -> None:
        self._opened = opened

    def keep(self, one: T) -> T:
        """Close it again, should what follows fail."""
        self._opened.callback(_let_go, one)
        return one


@contextmanager
def opening() -> Iterator[Opening]:
    """Let go of all that was kept if the block fails, and of nothing else."""
    with ExitStack() as opened:
        yield Opening(opened)
        opened.pop_all()


def _let_go(one: _Closes) -> None:
    # What the start failed of is to be told, and not that the JVM is gone too.
    with suppress(*JVM_GONE):
        one.close()
