"""Parts are killed under load, one after another; at the end each record is one row."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.containers import (
    CONNECTORS,
    DUAL,
    IDS,
    Promises,
    Stack,
    answered,
    calls_told,
    docker,
    frazil,
    load,
    records_in,
)
from tests.support.engine import restart_engine
from tests.support.lab import wait_until

pytestmark = pytest.mark.parametrize("stack", [DUAL], indirect=True, ids=["dual"])

_RATE = 200
_KILLED = (
    "kafka", "minio-source2", "minio-dest3", "table-catalog", "kafka-connect", "nginx-dest",
)  # fmt: skip
_DEAD_SECONDS = 3.0
_HEAVY_LOAD_SECONDS = 20.0


def test_no_record_is_lost_or_doubled(quiet: Stack, tmp_path: Path) -> None:
    with load(tmp_path, _RATE):
        wait_until("the load has begun", lambda: records_in("auditlogs") > 0, 60)
        for name in _KILLED:
            _kill(quiet, name)
        _kill(quiet, quiet.workers()["iceberg-sink-auditlogs"], comes_back=False)
        quiet.wait_until_running()
    _every_record_is_one_row(quiet)


def test_an_engine_that_is_started_anew_brings_the_stack_back(quiet: Stack, tmp_path: Path) -> None:
    with load(tmp_path, _RATE):
        wait_until("the load has begun", lambda: records_in("auditlogs") > 0, 60)
        restart_engine()
        others = ["log-generator"]  # `quiet` has stopped it, and it stays so
        wait_until("the stack is well again", lambda: quiet.ailing() == others, 300, every=2)
        quiet.wait_until_running()
    _every_record_is_one_row(quiet)


def test_what_s3_promised_survives_the_death_of_a_node(stack: Stack) -> None:
    with Promises(stack.s3(stack.topology.source), "promises") as promises:
        wait_until("objects are written", lambda: len(promises.kept) > 50)
        docker("kill", "minio-source3")
        reached = len(promises.kept)
        wait_until("writing goes on without the node", lambda: len(promises.kept) > reached + 50)
        docker("start", "minio-source3")
        reached = len(promises.kept)
        wait_until("writing goes on with the node", lambda: len(promises.kept) > reached + 50)
    assert promises.broken() == {}


def _kill(stack: Stack, name: str, *, comes_back: bool = True) -> None:
    docker("kill", name)
    time.sleep(_DEAD_SECONDS)
    if comes_back:
        docker("start", name)
        wait_until(f"{name} is well again", _well(stack, name), 180, every=1)


def _well(stack: Stack, name: str) -> Callable[[], bool]:
    return lambda: stack.containers()[name]["State"]["Health"]["Status"] == "healthy"


def _every_record_is_one_row(stack: Stack) -> None:
    for name, table in zip(CONNECTORS, IDS, strict=True):
        # After the wait they are compared once more, which says what is amiss.
        with suppress(AssertionError):
            wait_until(table, lambda table=table: _is_whole(stack, table), 240, every=2)  # type: ignore[misc]
        assert stack.counted(table) == _told(table), table
        frazil("verify", name, "--url", "http://127.0.0.1:8083")


def _is_whole(stack: Stack, table: str) -> bool:
    return bool(answered(lambda: stack.counted(table)) == _told(table))


def _told(table: str) -> tuple[int, int]:
    """Count the records for a table, and their ids: each that we produce has one of its own."""
    records = records_in(table)
    calls, ids = calls_told() if table == "apilogs" else (0, 0)
    return records + calls, records + ids
