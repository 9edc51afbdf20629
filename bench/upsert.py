"""Measures changes of rows; the figures of docs/explanation/performance.md.

`make bench-upsert` fills a table of each form with a million rows, and then has a million changes
put into it, a tenth of them deletions. No sink that can be had from a package registry does that,
so appending the same records with the same sink stands beside it.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bench.iceberg_sink.payloads import NAMESPACE, Payload, fill
from bench.iceberg_sink.rig import Rig, new_stack, start_stack
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from frazil.cli import stack as stacks
from frazil.cli.screen import Screen
from frazil.contracts.ledger import Ledger

MILLION = 1_000_000
_MERGE = "write.merge.mode"
FORMS: Mapping[str, Mapping[str, str]] = {
    "appended": {"format-version": "2"},
    "position deletes": {"format-version": "2", _MERGE: "merge-on-read"},
    "deletion vectors": {"format-version": "3", _MERGE: "merge-on-read"},
    "copy on write": {"format-version": "2", _MERGE: "copy-on-write"},
}
_CHANGES = {"iceberg.tables.cdc-field": "op", "iceberg.tables.default-id-columns": "id"}
_SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "name", StringType(), required=False),
    NestedField(3, "amount", LongType(), required=False),
)
_COLUMNS = ("rows", "a second", "CPU s", "peak MB", "files", "read s")
_PATIENCE = 1800


def rows(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield _record(number, 0, "c")


def changes(count: int) -> Iterator[bytes]:
    chance = random.Random(1)  # noqa: S311
    while True:
        deletes = chance.random() < 0.1
        yield _record(chance.randrange(count), chance.randrange(MILLION), "d" if deletes else "u")


def _record(number: int, amount: int, op: str) -> bytes:
    row = {"id": number, "name": f"the name of {number}", "amount": amount, "op": op}
    return json.dumps(row).encode()


@dataclass(frozen=True)
class Bench:
    rig: Rig
    screen: Screen
    count: int

    def measure(self, form: str) -> Iterator[tuple[str, ...]]:
        topic = form.replace(" ", "_")
        # One partition: all changes of a key are in order.
        self.rig.create_topics(topic)
        self._fill(topic, rows(self.count))
        properties = dict(FORMS[form])
        self.rig.lake.catalog.create_table((NAMESPACE, topic), _SCHEMA, properties=properties)
        config = self.rig.config(topic, topic, tasks=2, interval_ms=5000)
        config |= {} if form == "appended" else _CHANGES
        self.rig.ours.create(topic, config)
        yield self._until(topic, self.count, f"{form}: rows")
        self._fill(topic, islice(changes(self.count), self.count))
        yield self._until(topic, 2 * self.count, f"{form}: changes")
        self.rig.ours.delete(topic)
        if FORMS[form].get(_MERGE) == "merge-on-read":
            # The same connector, for its ledger is in the table: there is nothing left to read.
            self.rig.ours.create(topic, {**config, "frazil.maintenance.enabled": "true"})
            yield self._until_whole(topic, f"{form}: looked after")
            self.rig.ours.delete(topic)

    def _fill(self, topic: str, values: Iterator[bytes]) -> None:
        payload = Payload(topic, topic, records=self.count, values=lambda: values, schema=_SCHEMA)
        with self.screen.step(f"{self.count:,} records for {topic}"):
            asyncio.run(fill(self.rig.servers, payload, self.count, partitions=1))

    def _until(self, topic: str, records: int, title: str) -> tuple[str, ...]:
        return self._measured(topic, title, lambda: self._done(topic), records)

    def _until_whole(self, topic: str, title: str) -> tuple[str, ...]:
        """Wait until no file has a row that was deleted."""
        deleted = self._deleted(topic)
        return self._measured(topic, title, lambda: deleted - self._deleted(topic), deleted)

    def _measured(
        self, topic: str, title: str, progress: Callable[[], int], wanted: int
    ) -> tuple[str, ...]:
        processes, begin, before = self.rig.ours.processes, time.monotonic(), progress()
        spent, peak = processes.cpu(), processes.memory_mb()
        with self.screen.step(title), self.screen.bar(title) as bar:
            while (done := progress()) < wanted:
                bar(done, wanted)
                peak = max(peak, processes.memory_mb())
                if time.monotonic() > begin + _PATIENCE:
                    sys.exit(f"{title}: {done:,} of {wanted:,}: {self.rig.ours.status(topic)}")
                time.sleep(0.5)
        seconds, cpu = time.monotonic() - begin, processes.cpu() - spent
        found, files, read = self._read(topic)
        return (
            title,
            f"{found:,}",
            f"{(wanted - before) / seconds:,.0f}",
            f"{cpu:.0f}",
            f"{peak:.0f}",
            str(files),
            f"{read:.2f}",
        )

    def _done(self, topic: str) -> int:
        ledger = Ledger.from_summary(self._summary(topic), topic)
        return ledger.end.get(topic, {}).get(0, 0) if ledger else 0

    def _deleted(self, topic: str) -> int:
        return int(self._summary(topic).get("total-position-deletes", 0))

    def _summary(self, topic: str) -> Mapping[str, str]:
        snapshot = self.rig.lake.load_table(topic).current_snapshot()
        return snapshot.summary.additional_properties if snapshot and snapshot.summary else {}

    def _read(self, topic: str) -> tuple[int, int, float]:
        """Read the table as a reader without Spark does: its rows, its files, and the time."""
        table = self.rig.lake.load_table(topic)
        begin = time.monotonic()
        found = table.scan(selected_fields=("id", "amount")).to_arrow().num_rows
        read = time.monotonic() - begin
        return found, table.inspect.files().num_rows, read


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.upsert", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the million")
    parser.add_argument("--only", nargs="+", choices=FORMS, default=list(FORMS))
    options = parser.parse_args()
    screen = Screen()
    with tempfile.TemporaryDirectory() as home:
        stack = new_stack(Path(home), screen)
        try:
            with screen.step("Broker, catalog, control API"):
                lake, sink = start_stack(stack, extra={})
            # There is no peer; the rig only wants two.
            rig = Rig(stack, lake, sink, sink, partitions=1)
            bench = Bench(rig, screen, int(MILLION * options.scale))
            measured = [row for form in options.only for row in bench.measure(form)]
        finally:
            stacks.stop(stack.folder)
    screen.table(("", *_COLUMNS), measured)


if __name__ == "__main__":
    main()
