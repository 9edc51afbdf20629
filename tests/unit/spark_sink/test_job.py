"""What the end of a stream means for the next start."""

from typing import Any, cast

import pytest

from frazil.contracts.exit_code import ExitCode
from frazil.spark_sink.job import SinkJob
from frazil.worker.errors import (
    BadConfigError,
    BadTableError,
    RefusedError,
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
