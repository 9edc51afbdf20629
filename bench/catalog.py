"""Measures the table catalog beside Iceberg's own; the figures of docs/explanation/performance.md.

`make bench-catalog` starts our catalog twice, open and with signed requests, and Iceberg's REST
fixture, asks all the same by turns over HTTP on loopback, and prints tables. Each keeps pointers in
SQLite, with a write-ahead log and `synchronous=FULL`, and metadata on the local disk.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from bench.catalog_peers import Line, Peer, Request, fixture, ours
from bench.times import Times

from frazil.cli.screen import Screen

Json = dict[str, Any]
Rows = list[tuple[str, ...]]

MANY, ROUNDS, WARM_UP = 1000, 600, 300
SNAPSHOTS, DEEP_ROUNDS, DEEP_WARM_UP = 5000, 100, 20
WRITERS, SLICES, SLICE_SECONDS = 4, 5, 3.0
COLUMNS = 33
TABLES = "/namespaces/bench/tables"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgresql", help="A database for all: postgresql://host/name?user=me.")
    options = parser.parse_args()
    screen = Screen()
    screen.say("Load average before: {:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg()))
    with tempfile.TemporaryDirectory() as home, running(Path(home), options.postgresql) as lines:
        for line in lines:
            line.ask(Request.post("/namespaces", {"namespace": ["bench"]}))
        columns = [f"{line.peer.label}: {figure}" for line in lines for figure in ("p50", "p99")]
        screen.table((f"{MANY:,} tables", *columns, "ratio"), measure_many(lines))
        screen.table((f"{SNAPSHOTS:,} snapshots", *columns, "ratio"), measure_deep(lines))
        labels = [line.peer.label for line in lines]
        screen.table(("", *labels, "ratio"), [measure_writers(lines), measure_memory(lines)])


@contextmanager
def running(home: Path, postgresql: str | None) -> Iterator[list[Line]]:
    """Start all three; the last one is the one to compare with."""
    with ExitStack() as stack:
        peers = [
            stack.enter_context(ours(home / "open", "open", signed=False, database=postgresql)),
            stack.enter_context(ours(home / "signed", "signed", signed=True, database=postgresql)),
            stack.enter_context(fixture(home / "fixture", "fixture", database=postgresql)),
        ]
        yield [stack.enter_context(closing(Line(peer))) for peer in peers]


@dataclass
class Table:
    """What a writer has to know of a table to append to it."""

    name: str
    snapshots: int = 0

    @property
    def path(self) -> str:
        return f"{TABLES}/{self.name}"

    def append(self) -> Request:
        parent = self.snapshots or None
        self.snapshots += 1
        snapshot = make_snapshot(self.snapshots)
        ref = {"ref-name": "main", "type": "branch", "snapshot-id": self.snapshots}
        return Request.post(
            self.path,
            {
                "requirements": [
                    {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": parent}
                ],
                "updates": [
                    {"action": "add-snapshot", "snapshot": snapshot},
                    {"action": "set-snapshot-ref", **ref},
                ],
            },
        )


def make_snapshot(number: int) -> Json:
    """Make the snapshot of an append by Spark, whose files nobody looks at."""
    parent = {"parent-snapshot-id": number - 1} if number > 1 else {}
    return {
        "snapshot-id": number,
        **parent,
        "sequence-number": number,
        "timestamp-ms": time.time_ns() // 1_000_000,
        "manifest-list": f"file:///nowhere/snap-{number:019}-1-c4afd3b0-7be1.avro",
        "schema-id": 0,
        "summary": {
            "operation": "append",
            "spark.app.id": "local-1795038123125",
            "added-data-files": "13",
            "added-records": "20000",
            "added-files-size": "4823113",
            "changed-partition-count": "13",
            "total-records": str(20000 * number),
            "total-files-size": str(4823113 * number),
            "total-data-files": str(13 * number),
            "total-delete-files": "0",
            "total-position-deletes": "0",
            "total-equality-deletes": "0",
            "engine-version": "4.1.3",
            "app-id": "local-1795038123125",
            "engine-name": "spark",
            "iceberg-version": "Apache Iceberg 1.12.0",
        },
    }


def creation(name: str) -> Request:
    fields = [
        {"id": number, "name": f"column_{number}", "required": False, "type": "string"}
        for number in range(1, COLUMNS + 1)
    ]
    schema = {"type": "struct", "schema-id": 0, "fields": fields}
    return Request.post(TABLES, {"name": name, "schema": schema})


def measure_many(lines: Sequence[Line]) -> Rows:
    tables = [Table(f"table-{number:04}") for number in range(MANY)]
    made = by_turns(lines, lambda at: creation(tables[at].name), rounds=MANY - WARM_UP)

    def some(at: int) -> Table:
        # One here and one there, as many clients would.
        return tables[at * 7 % MANY]

    return [
        shown("create", made),
        shown("load", by_turns(lines, lambda at: Request("GET", some(at).path))),
        shown("exists", by_turns(lines, lambda at: Request("HEAD", some(at).path))),
        shown("commit", by_turns(lines, lambda at: some(at).append())),
        shown("load after", by_turns(lines, lambda at: Request("GET", some(at).path))),
        shown("list", by_turns(lines, lambda _at: Request("GET", TABLES))),
    ]


def measure_deep(lines: Sequence[Line]) -> Rows:
    table = Table("deep", SNAPSHOTS)
    for line in lines:
        register(line, table)
    refs = f"{table.path}?snapshots=refs"

    def measure(make: Callable[[int], Request]) -> list[Times]:
        return by_turns(lines, make, rounds=DEEP_ROUNDS, warm_up=DEEP_WARM_UP)

    return [
        shown("load", measure(lambda _at: Request("GET", table.path))),
        shown("load, snapshots=refs", measure(lambda _at: Request("GET", refs))),
        shown("commit", measure(lambda _at: table.append())),
    ]


def register(line: Line, table: Table) -> None:
    """Let a catalog take a metadata file with many snapshots, made of one of its own."""
    _, content = line.ask(creation("seed"))
    metadata = json.loads(content)["metadata"]
    snapshots = [make_snapshot(number) for number in range(1, table.snapshots + 1)]
    metadata |= {
        "snapshots": snapshots,
        "snapshot-log": [
            {"snapshot-id": one["snapshot-id"], "timestamp-ms": one["timestamp-ms"]}
            for one in snapshots
        ],
        "refs": {"main": {"snapshot-id": table.snapshots, "type": "branch"}},
        "current-snapshot-id": table.snapshots,
        "last-sequence-number": table.snapshots,
        "last-updated-ms": snapshots[-1]["timestamp-ms"],
    }
    file = Path(urlsplit(metadata["location"]).path, "metadata", "05000-deep.metadata.json")
    file.write_text(json.dumps(metadata, separators=(",", ":")))
    known = {"name": table.name, "metadata-location": file.as_uri()}
    line.ask(Request.post("/namespaces/bench/register", known))


def by_turns(
    lines: Sequence[Line],
    make: Callable[[int], Request],
    *,
    rounds: int = ROUNDS,
    warm_up: int = WARM_UP,
) -> list[Times]:
    """Ask each catalog the same, one after the other: what else the machine does hits all."""
    times = [Times() for _ in lines]
    for at in range(warm_up + rounds):
        request = make(at)
        for turn in range(len(lines)):
            which = (at + turn) % len(lines)
            seconds, _ = lines[which].ask(request)
            if at >= warm_up:
                times[which].add(seconds)
    return times


def shown(label: str, times: Sequence[Times]) -> tuple[str, ...]:
    figures = (f"{figure:.1f} ms" for one in times for figure in (one.p50, one.p99))
    return (label, *figures, f"{times[-2].p50 / times[-1].p50:.2f}")


def measure_writers(lines: Sequence[Line]) -> tuple[str, ...]:
    """Let writers append side by side, each to a table of its own, a slice of time a catalog."""
    rates: list[list[float]] = [[] for _ in lines]
    for number in range(SLICES):
        for line, rate in zip(lines, rates, strict=True):
            rate.append(write_side_by_side(line.peer, number))
    medians = [median(rate) for rate in rates]
    ratio = f"{medians[-2] / medians[-1]:.2f}"
    return (f"{WRITERS} writers", *(f"{one:.0f} commits/s" for one in medians), ratio)


def write_side_by_side(peer: Peer, number: int) -> float:
    """Return commits a second."""

    def write(writer: int) -> int:
        table = Table(f"written-{number}-{writer}")
        with closing(Line(peer)) as line:
            line.ask(creation(table.name))
            deadline = time.monotonic() + SLICE_SECONDS
            while time.monotonic() < deadline:
                line.ask(table.append())
        return table.snapshots

    with ThreadPoolExecutor(WRITERS) as pool:
        return sum(pool.map(write, range(WRITERS))) / SLICE_SECONDS


def measure_memory(lines: Sequence[Line]) -> tuple[str, ...]:
    peaks = [line.peer.peak_mb for line in lines]
    return ("memory, peak", *(f"{peak:.0f} MB" for peak in peaks), f"{peaks[-2] / peaks[-1]:.2f}")


if __name__ == "__main__":
    main()
