"""What another user of the machine gets to see; to become one, tests have to be run by root."""

import os
import select
import signal
from collections.abc import Callable

import pytest

NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

_NOBODY = 65534
_SECONDS = 30


def as_nobody(ask: Callable[[], bytes]) -> bytes:
    """Call a function in a process of another user, and return what it found, or its error."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(writes, ask)
    os.close(writes)
    try:
        ready, _, _ = select.select([reads], [], [], _SECONDS)
        return os.read(reads, 65536) if ready else b"no answer"
    finally:
        os.close(reads)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _answer(pipe: int, ask: Callable[[], bytes]) -> None:
    try:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
        found = ask()
    except Exception as error:  # noqa: BLE001 (whatever it is, it is the answer)
        found = type(error).__name__.encode()
    os.write(pipe, found)
    # Until it is killed: nothing of the tests' own process is to be ended here.
    signal.pause()
