"""Starts and ends stand-in workers, which hold the contract of a run folder without Spark."""

import os
import signal
import sys
from pathlib import Path

from frazil.contracts.naming import run_folder

_SCRIPT = Path(__file__).with_name("stand_in_worker.py")


def stand_in(folder: Path) -> list[str]:
    # Isolated, without site packages: it needs neither, and starts at once.
    return [sys.executable, "-I", "-S", str(_SCRIPT), str(folder)]


def signal_worker(root: Path, name: str, epoch: int, number: int = signal.SIGKILL) -> None:
    pid = int((root / run_folder(name) / str(epoch) / "pid").read_text())
    os.kill(pid, number)
