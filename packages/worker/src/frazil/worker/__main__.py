"""`python -m frazil.worker archive-path`: where this machine's class-data archive belongs."""

import sys

from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.worker.archive import archive_path
from frazil.worker.jvm import class_path
from frazil.worker.settings import WorkerSettings


def main() -> None:
    if sys.argv[1:] != ["archive-path"]:
        sys.exit(__doc__)
    settings = WorkerSettings()
    jars = class_path(JarStore(settings.home).folder("spark"))
    sys.stdout.write(f"{archive_path(settings.home, find_java(settings.java_home), jars)}\n")


if __name__ == "__main__":
    main()
