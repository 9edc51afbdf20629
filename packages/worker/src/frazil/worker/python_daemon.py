"""Forks Spark's Python workers from a process that has loaded the libraries of tasks already.

A worker that is forked starts at once, and shares the memory of these libraries with the others.
"""

import gc
import sys
from contextlib import suppress
from importlib import import_module

_ARCHIVES = (".zip", ".jar")
# By name, for this package stands below those whose tasks run in the workers.
_TASKS = "frazil.spark_sink.tasks.write"


def forget_archives() -> None:
    """Import from folders alone, which have all that Spark's archives have.

    Modules of an archive are compiled at each start. And Spark has every task look for new modules,
    for which Python reads the list of each archive anew: half the time of a small task.
    """
    sys.path[:] = [entry for entry in sys.path if not entry.endswith(_ARCHIVES)]
    for entry in [*sys.path_importer_cache]:
        if entry.endswith(_ARCHIVES):
            del sys.path_importer_cache[entry]


def keep_libraries() -> None:
    """Take what is loaded for no garbage: workers look for garbage after each task.

    To look through the libraries takes them a tenth of a second, and a copy of this memory.
    """
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    forget_archives()
    with suppress(ModuleNotFoundError):
        import_module(_TASKS)
    daemon = import_module("pyspark.daemon")
    keep_libraries()
    daemon.manager()
