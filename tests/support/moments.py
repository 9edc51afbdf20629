"""Moments in which a worker is killed."""

from collections.abc import Callable

from tests.support.lab import Lab


def mid_write(lab: Lab) -> Callable[[], bool]:
    """Data files are there that no snapshot knows yet."""
    known = lab.data_files()
    commits = len(lab.ledgers())

    return lambda: bool(lab.data_files() - known) and len(lab.ledgers()) == commits


def after_commit(lab: Lab) -> Callable[[], bool]:
    """The table has the batch, Spark's own log and the worker's status do not yet."""
    before = lab.metadata_location()
    return lambda: lab.metadata_location() != before
