"""Measures our Iceberg sink beside the genuine one; the figures of docs/explanation/performance.md.

`make bench-sink` starts a broker, our table catalog, our control API, and a Kafka Connect worker
with Apache Iceberg's sink. Both sinks get the same topics, table layouts and commit intervals, one
after the other, and one table with ratios is printed. Linux only: processes are read from /proc.
"""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from bench.iceberg_sink.figures import COLUMNS, Row
from bench.iceberg_sink.payloads import PAYLOADS
from bench.iceberg_sink.rig import running
from bench.iceberg_sink.runs import Bench, Sizes

from frazil.cli.screen import Screen

TRICKLE = "trickle"
# At scale 1 enough commits for whole intervals between the first and the last.
_OURS = ["frazil.max.records.per.commit=100000"]


def main() -> None:
    options = read_options()
    # Whatever was started ends with us, also when we are told to.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("The benchmark was told to end."))
    screen = Screen()
    screen.say("Load average before: {:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg()))
    sizes = Sizes(**{one.name: getattr(options, one.name) for one in fields(Sizes)})
    payloads = [payload for payload in PAYLOADS if payload.name in options.only]
    with (
        tempfile.TemporaryDirectory() as home,
        running(
            Path(home),
            screen,
            partitions=options.partitions,
            ours=_pairs(options.ours),
            genuine=_pairs(options.genuine),
        ) as rig,
    ):
        rows: list[Row] = []
        try:
            rows.extend(
                Bench(rig, screen, sizes).measure(payloads, trickle=TRICKLE in options.only)
            )
        finally:
            # What was measured before an end that came too early is worth a look.
            if rows:
                screen.table(COLUMNS, rows)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.iceberg_sink", description=__doc__)
    what = [*(payload.name for payload in PAYLOADS), TRICKLE]
    parser.add_argument("--only", nargs="+", choices=what, default=what, help="all by default")
    numbers = {
        "interval-ms": (5000, "between the commits of a drain"),
        "partitions": (6, "of each topic"),
        "tasks": (2, "tasks.max of both sinks"),
        "warm-up": (15, "seconds of the trickle before it is measured"),
        "seconds": (30, "seconds of the trickle that are measured"),
        "patience": (600, "seconds to wait for one backlog"),
    }
    for name, (default, text) in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{text} ({default})")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="of the backlogs, 1 for 400,000 wide records (1)"
    )
    for name, keys in (("ours", _OURS), ("genuine", [])):
        text = f"keys of this sink alone ({' '.join(keys) or 'none'})"
        parser.add_argument(f"--{name}", nargs="+", default=keys, metavar="KEY=VALUE", help=text)
    return parser.parse_args()


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    return dict(text.split("=", 1) for text in texts)


if __name__ == "__main__":
    main()
