"""The Docker engine itself, where it is one that deploy/airgap has started; may skip."""

import subprocess
from pathlib import Path

import pytest

_ENGINE = Path(__file__).parents[2] / "deploy" / "airgap" / "engine.sh"


def restart_engine() -> None:
    ended = _run("stop")
    if "No engine of ours" in ended:
        pytest.skip("the Docker engine is somebody else's: it is not ours to end")
    _run()


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [str(_ENGINE), *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
