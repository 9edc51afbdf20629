"""The rounds of a case: the genuine sink and ours by turns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from bench.iceberg_sink.cases import Case, Kind
from bench.iceberg_sink.comparison import Line, compare
from bench.iceberg_sink.lake import lake_on_s3
from bench.iceberg_sink.results import Run
from bench.iceberg_sink.runs import Runs
from bench.iceberg_sink.sink import RunFailedError, Sink
from tests.support.minio import find_program

_NO_MINIO = "No MinIO, so nothing on S3 is measured; deploy/airgap/minio.sh builds one."

OneRun = Callable[[Case, Sink], Run]


def measure(case: Case, runs: Runs) -> list[Line]:
    """Fill the topic, warm the genuine sink up, and run both by turns."""
    with _at_its_store(case, runs) as suited:
        return _measure(case, suited) if suited else []


def _measure(case: Case, runs: Runs) -> list[Line]:
    sizes, genuine, ours = runs.sizes, runs.rig.genuine, runs.rig.ours
    runs.fill(case.payload, int(case.payload.records * sizes.scale))
    kinds: dict[Kind, OneRun] = {
        Kind.DRAIN: runs.drain,
        Kind.TABLES: runs.drain,
        Kind.TRICKLE: runs.trickle,
        Kind.START: runs.start,
    }
    measured: dict[Sink, list[Run]] = {genuine: [], ours: []}
    _run(runs, runs.drain, case, genuine, "warms up")
    for number in range(1, sizes.rounds + 1):
        for sink, results in measured.items():
            title = f"round {number} of {sizes.rounds}"
            results.extend(_run(runs, kinds[case.kind], case, sink, title))
    return compare(case, measured[ours], measured[genuine])


def _run(runs: Runs, run: OneRun, case: Case, sink: Sink, title: str) -> list[Run]:
    """Return the result; one that fails has none, and does not end the benchmark."""
    title = f"{case.title}: {sink.label}, {title}"
    try:
        with runs.screen.step(title):
            return [run(case, sink)]
    except RunFailedError as error:
        runs.screen.warn(f"{title}: {error}")
        return []


@contextmanager
def _at_its_store(case: Case, runs: Runs) -> Iterator[Runs | None]:
    if not case.on_s3:
        yield runs
    elif program := find_program():
        with lake_on_s3(runs.rig.stack, program) as lake:
            yield replace(runs, rig=replace(runs.rig, lake=lake))
    else:
        runs.screen.warn(_NO_MINIO)
        yield None
