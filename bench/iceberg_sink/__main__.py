"""Measures our Iceberg sink beside the genuine one; the figures of docs/explanation/performance.md.

`make bench-sink` starts a broker, our table catalog, our control API, and a Kafka Connect worker
with Apache Iceberg's sink. Both sinks get the same topics, table layouts and commit intervals, by
turns and in several rounds; one table has the medians, their ratios and the targets. Linux only:
processes are read from /proc.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

from bench.iceberg_sink.cases import CASES
from bench.iceberg_sink.comparison import COLUMNS, Line, share_of_clean
from bench.iceberg_sink.rig import running
from bench.iceberg_sink.rounds import measure
from bench.iceberg_sink.runs import Runs, Sizes

from frazil.cli.screen import Screen


def main() -> None:
    options = read_options()
    # Child processes end with this one, also after a signal.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("The benchmark was ended by a signal."))
    screen = Screen()
    screen.say("Load average before: {:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg()))
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as home:
        try:
            for measured in _measure(options, Path(home), screen):
                lines += measured
        finally:
            # What was measured before an early end is worth a look.
            report(lines, options, screen)


def _measure(options: argparse.Namespace, home: Path, screen: Screen) -> Iterator[list[Line]]:
    sizes = Sizes(**{size.name: getattr(options, size.name) for size in fields(Sizes)})
    keys = {"ours": _pairs(options.ours), "genuine": _pairs(options.genuine)}
    with running(home, screen, partitions=options.partitions, **keys) as rig:
        runs = Runs(rig, screen, sizes)
        for case in CASES:
            if case.name in options.only:
                yield measure(case, runs)


def report(lines: list[Line], options: argparse.Namespace, screen: Screen) -> None:
    lines = [*lines, *share_of_clean(lines)]
    if lines:
        screen.table(COLUMNS, [line.cells() for line in lines])
    if options.json:
        content = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "cores": os.cpu_count(),
            "options": {**vars(options), "json": str(options.json)},
            "figures": [line.as_json() for line in lines],
        }
        options.json.write_text(json.dumps(content, indent=2) + "\n")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.iceberg_sink", description=__doc__)
    names = [case.name for case in CASES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="all by default")
    numbers = {
        "rounds": (3, "of each case; the table has their medians"),
        "interval-ms": (2000, "between the commits of a drain"),
        "partitions": (6, "of each topic"),
        "tasks": (2, "tasks.max of both sinks"),
        "warm-up": (15, "seconds of the trickle before it is measured"),
        "seconds": (30, "seconds of the trickle that are measured"),
        "patience": (180, "seconds to wait for the next commit"),
    }
    for name, (default, text) in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{text} ({default})")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="of the backlogs, 1 for 1,000,000 wide records (1)"
    )
    for name in ("ours", "genuine"):
        text = "keys of this sink alone"
        parser.add_argument(f"--{name}", nargs="+", default=[], metavar="KEY=VALUE", help=text)
    parser.add_argument("--json", type=Path, metavar="FILE", help="the figures of all rounds, too")
    return parser.parse_args()


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    return dict(text.split("=", 1) for text in texts)


if __name__ == "__main__":
    main()
