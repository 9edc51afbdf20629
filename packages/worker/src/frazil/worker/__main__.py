"""What those who prepare a machine or an image ask of a worker's code.

`python -m frazil.worker archive-path`: where this machine's class-data archive belongs.
`python -m frazil.worker unused-jars`: which of PySpark's jars no worker ever opens.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.worker.archive import archive_path
from frazil.worker.jvm import class_path, unused_jars
from frazil.worker.settings import WorkerSettings


def main() -> None:
    sys.stdout.writelines(f"{path}\n" for path in _answer(sys.argv[1:]))


def _answer(question: list[str]) -> Iterator[Path]:
    match question:
        case ["archive-path"]:
            settings = WorkerSettings()
            jars = class_path(JarStore(settings.home).folder("spark"))
            yield archive_path(settings.home, find_java(settings.java_home), jars)
        case ["unused-jars"]:
            yield from unused_jars()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
