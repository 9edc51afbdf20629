"""Forks Spark's Python workers from a process that has loaded the libraries of tasks already.

A worker that is forked starts at once, and shares the memory of these libraries with the others.
"""

from contextlib import suppress
from importlib import import_module

from pyspark.daemon import manager

# By name, for this package stands below those whose tasks run in the workers.
_TASKS = "frazil.spark_sink.tasks.write"

if __name__ == "__main__":
    with suppress(ModuleNotFoundError):
        import_module(_TASKS)
    manager()  # type: ignore[no-untyped-call]
