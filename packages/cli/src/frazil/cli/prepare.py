"""Set-up of a machine: Java, the jars, and the archive that makes workers start faster."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from frazil.cli.screen import Screen
from frazil.cli.stack import Tools
from frazil.cli.training import archive_path, train
from frazil.runtime.errors import UserError
from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java


def prepare(
    home: Path, java_home: Path | None, *, environment: Mapping[str, str], screen: Screen
) -> Tools:
    """Find Java and see to the jars; quick and silent when all is there."""
    java, store = find_java(java_home), JarStore(home)
    if not store.is_complete():
        with screen.step("Jars (180 MB, once)"), screen.bar("Jars") as progress:
            store.resolve(java, progress)
    return Tools(java=java, broker_jars=store.folder("broker"), environment=environment)


def ensure_archive(home: Path, tools: Tools, *, desired_state: Path, screen: Screen) -> None:
    """Train once for each Java build and class path. Workers do without if it fails."""
    path = archive_path(tools)
    if path.exists():
        screen.done("Class archive")
        return
    try:
        with screen.step("Class archive, by a training run"):
            train(path, home, tools=tools, desired_state=desired_state)
    except (UserError, OSError, subprocess.SubprocessError) as error:
        screen.warn(f"No class archive, so workers start more slowly: {error}")
