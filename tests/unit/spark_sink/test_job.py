"""What a stream's batches become, and what its end means for the next start."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from frazil.contracts.exit_code import ExitCode
from frazil.spark_sink.core.batches import BATCH_BYTES, FIRST_RECORDS, BatchSize
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.job import SinkJob
from frazil.spark_sink.outcome import Outcome
from frazil.spark_sink.store import Records
from frazil.worker.errors import (
    BadConfigError,
    BadTableError,
    RefusedError,
    UnavailableError,
    UnfitError,
    WorkerError,
)

NOTHING = cast("Any", None)


def code_of(failure: WorkerError, *, has_worked: bool) -> ExitCode:
    job = SinkJob(NOTHING, NOTHING, NOTHING)
    job._failure, job._has_worked = failure, has_worked
    found = job.explain(RuntimeError("the stream ended"))
    assert isinstance(found, WorkerError)
    assert (str(found), found.cause) == (str(failure), failure.cause)
    return found.exit_code


@pytest.mark.parametrize(
    ("failure", "first", "later"),
    [
        (RefusedError("no", "why"), ExitCode.REFUSED, ExitCode.UNAVAILABLE),
        (UnfitError("no", "why"), ExitCode.BAD_TABLE, ExitCode.UNAVAILABLE),
        (BadTableError("no"), ExitCode.BAD_TABLE, ExitCode.BAD_TABLE),
        (BadConfigError("no"), ExitCode.BAD_CONFIG, ExitCode.BAD_CONFIG),
    ],
)
def test_what_a_run_has_never_been_able_to_do_is_final(
    failure: WorkerError, first: ExitCode, later: ExitCode
) -> None:
    assert code_of(failure, has_worked=False) is first
    assert code_of(failure, has_worked=True) is later


class Fleet:
    """Takes what it is given, and says that each record has so many bytes."""

    tables: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, weight: int) -> None:
        self._weight = weight
        self.ends: list[int] = []

    def write(self, records: Records, span: BatchRange) -> Outcome:
        assert records.span == span
        start, end = span.start["t"][0], span.end["t"][0]
        self.ends.append(end)
        return Outcome(end - start, 1, {}, 0, 0, None, span.end, bytes=self._weight * (end - start))


def job_of(folder: Path, fleet: Fleet, *, takes_ranges: bool, end: int) -> SinkJob:
    config = SimpleNamespace(
        connector="c", max_records=None, freshness_ms=None, commit_interval_ms=0, log_errors=False
    )
    status = SimpleNamespace(commits=0, records=0, dead=0, nulled=0, astray=0, last_commit=None)
    board = SimpleNamespace(status=status, update=lambda **_: None)
    job = SinkJob(cast("Any", config), NOTHING, cast("Any", board))
    (folder / "offsets").mkdir()
    (folder / "offsets" / "0").write_text(f'v1\n{{}}\n{{"t":{{"0":{end}}}}}')
    job._size = BatchSize(None)
    job._stream = cast(
        "Any",
        SimpleNamespace(
            checkpoint=folder,
            first={"t": {0: 0}},
            topics={"t"},
            stores=SimpleNamespace(takes_ranges=takes_ranges),
            fleet=fleet,
            broker=SimpleNamespace(commit_to_group=lambda _: None),
        ),
    )
    return job


@pytest.mark.parametrize(
    ("takes_ranges", "weight", "ends"),
    [
        pytest.param(True, 1_000, [FIRST_RECORDS, FIRST_RECORDS + BATCH_BYTES // 1_000, 500_000],
                     id="what tasks read is cut by its bytes"),
        pytest.param(True, 10, [FIRST_RECORDS, 500_000], id="small records are one batch"),
        pytest.param(False, 1_000, [500_000], id="what Spark reads is one batch"),
    ],
)  # fmt: skip
def test_what_spark_has_found_becomes_batches(
    tmp_path: Path, takes_ranges: bool, weight: int, ends: list[int]
) -> None:
    fleet = Fleet(weight)
    job_of(tmp_path, fleet, takes_ranges=takes_ranges, end=500_000)._on_batch(NOTHING, 0)
    assert fleet.ends == ends


def test_a_worker_that_stops_begins_no_other_batch(tmp_path: Path) -> None:
    fleet = Fleet(1)
    job = job_of(tmp_path, fleet, takes_ranges=True, end=500_000)
    job.settle()
    with pytest.raises(UnavailableError):
        job._on_batch(NOTHING, 0)
    assert fleet.ends == []
