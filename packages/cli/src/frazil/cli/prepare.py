"""Set-up of a machine: Java, the jars, and the archive that makes workers start faster."""

from collections.abc import Mapping
from pathlib import Path

from frazil.cli.screen import Screen
from frazil.cli.stack import Tools
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
