"""Which figures a run gives, by what is measured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.iceberg_sink.cases import Kind

from frazil.cli.report import percentile


@dataclass(frozen=True)
class Figure:
    key: str
    title: str
    unit: str
    of: Callable[[Any], float | None]


_FIRST_ROW = Figure("first_row_s", "POST to first row, s", "{:.1f}", lambda run: run.first_row)
_RATE = Figure("rate", "records/s from POST on", "{:,.0f}", lambda run: run.whole)
_CPU = Figure("cpu", "CPU s a million", "{:.1f}", lambda run: run.cpu)
_MEMORY = (
    Figure("peak_mb", "peak memory, MB", "{:,.0f}", lambda run: sum(run.peak)),
    Figure("peak_jvm_mb", "of it the JVM", "{:,.0f}", lambda run: run.peak.jvm),
    Figure("peak_tasks_mb", "of it Python's tasks", "{:,.0f}", lambda run: run.peak.tasks),
    Figure("peak_rest_mb", "of it all else", "{:,.0f}", lambda run: run.peak.rest),
)
_COMMITS = Figure("commits", "commits", "{:,.0f}", lambda run: len(run.commits))
_FILES = Figure("files", "files", "{:,.0f}", lambda run: len(run.sizes))
_LOAD = Figure("load", "load average", "{:.1f}", lambda run: run.load)

FIGURES: Mapping[Kind, Sequence[Figure]] = {
    Kind.DRAIN: (
        _FIRST_ROW,
        _RATE,
        Figure("sustained", "records/s, sustained", "{:,.0f}", lambda run: run.sustained),
        _CPU,
        Figure("warm_cpu", "CPU s a million, sustained", "{:.1f}", lambda run: run.warm_cpu),
        *_MEMORY,
        _COMMITS,
        _FILES,
        Figure("median_file_mb", "median file, MB", "{:.2f}", lambda run: run.median_mb),
        _LOAD,
    ),
    Kind.TABLES: (
        _FIRST_ROW,
        Figure("batch_s", "commit to commit, s", "{:.1f}", lambda run: run.batch_seconds),
        *(_RATE, _CPU, *_MEMORY, _COMMITS, _FILES, _LOAD),
    ),
    Kind.TRICKLE: (
        Figure("age_p50", "age at p50, s", "{:.2f}", lambda run: percentile(run.ages, 0.50)),
        Figure("age_p99", "age at p99, s", "{:.2f}", lambda run: percentile(run.ages, 0.99)),
        Figure("cores", "CPU, cores", "{:.2f}", lambda run: run.cores),
        *_MEMORY,
        Figure("files", "files a commit", "{:.1f}", lambda run: run.files_per_commit),
        Figure("last_row_s", "last row after the end, s", "{:.1f}", lambda run: run.last),
        _LOAD,
    ),
    Kind.START: (
        Figure("backlog_s", "with a backlog, s", "{:.1f}", lambda run: run.backlog),
        Figure("few_s", "without, s", "{:.1f}", lambda run: run.few),
        Figure(
            "standby_backlog_s",
            "standby worker, with a backlog, s",
            "{:.1f}",
            lambda run: run.standby_backlog,
        ),
        Figure(
            "standby_few_s", "standby worker, without, s", "{:.1f}", lambda run: run.standby_few
        ),
    ),
}
