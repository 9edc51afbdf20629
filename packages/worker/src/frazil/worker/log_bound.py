"""Bounds the log file that a worker's output goes to; the file before is kept beside it."""

import os
import sys
import threading
import time
from pathlib import Path

from frazil.contracts.assignment import older_log

MOST_BYTES = 16 * 1024 * 1024
_LOOK_SECONDS = 1.0
_OUTPUTS = (1, 2)


def bound_log(file: Path) -> None:
    """Look after the file until the process ends, if it is where the process writes to.

    In a container it is not: there the engine bounds what it collects.
    """
    if _is_output(file):
        threading.Thread(target=_look_after, args=(file,), name="log", daemon=True).start()


def _look_after(file: Path) -> None:
    while _is_output(file):
        if os.fstat(_OUTPUTS[0]).st_size > MOST_BYTES:
            begin_new(file)
        time.sleep(_LOOK_SECONDS)


def _is_output(file: Path) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(_OUTPUTS[0]))
    except OSError:
        return False


def begin_new(file: Path) -> None:
    """Turn to a new file, then give it the name: who finds it there has seen the end of the old."""
    sys.stdout.flush()
    sys.stderr.flush()
    draft = file.with_suffix(".new")
    new = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    for output in _OUTPUTS:
        os.dup2(new, output)
    os.close(new)
    older = older_log(file)
    older.unlink(missing_ok=True)
    # The name is never free: who opens the log in between finds one of the two.
    older.hardlink_to(file)
    draft.replace(file)
