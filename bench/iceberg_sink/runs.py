"""One run of the benchmark: backlogs filled, drained by one sink and then by the other."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bench.iceberg_sink.figures import DRAIN, TRICKLE, Drain, Row, Trickle, compare
from bench.iceberg_sink.payloads import WIDE, Payload, fill
from bench.iceberg_sink.rig import Rig, Sink
from bench.iceberg_sink.watch import Watch

from frazil.cli.generator import generator_command
from frazil.cli.screen import Screen
from frazil.cli.tables import ages_at_commit, committed_files

RATE, TRICKLE_INTERVAL_MS = 1000, 1000


@dataclass(frozen=True)
class Sizes:
    """`scale` multiplies the backlogs; the rest is in seconds, but for the interval."""

    scale: float
    interval_ms: int
    tasks: int
    warm_up: int
    seconds: int
    patience: int


@dataclass
class Bench:
    rig: Rig
    screen: Screen
    sizes: Sizes
    _in_topic: Counter[str] = field(default_factory=Counter)
    _tables: int = 0

    def measure(self, payloads: Sequence[Payload], *, trickle: bool) -> Iterator[Row]:
        needed = list(dict.fromkeys([*payloads, *([WIDE] if trickle else [])]))
        self.rig.create_topics(*(payload.name for payload in needed))
        for payload in needed:
            self._fill(payload)
        self._drain(self.rig.genuine, needed[0], "Kafka Connect warms up")
        for number, payload in enumerate(payloads):
            drains = {
                sink: self._drain(sink, payload, f"{sink.label} drains {payload.title}")
                for sink in self._by_turns(number)
            }
            ours, genuine = drains[self.rig.ours], drains[self.rig.genuine]
            yield from compare(payload.title, DRAIN, ours, genuine)
        if trickle:
            trickles = [self._trickle(sink) for sink in self._by_turns(0)]
            yield from compare(f"{RATE:,} records/s", TRICKLE, *trickles)

    def _by_turns(self, number: int) -> Sequence[Sink]:
        """Let now one and now the other begin."""
        both = (self.rig.ours, self.rig.genuine)
        return both if number % 2 == 0 else both[::-1]

    def _fill(self, payload: Payload) -> None:
        count = int(payload.records * self.sizes.scale)
        with self.screen.step(f"{count:,} records, {payload.title}"):
            asyncio.run(fill(self.rig.servers, payload, count, partitions=self.rig.partitions))
        self._in_topic[payload.name] += count

    def _drain(self, sink: Sink, payload: Payload, title: str) -> Drain:
        with self.screen.step(title):
            watch = self._start(sink, payload, self.sizes.interval_ms)
            self._wait(watch, sink, self._in_topic[payload.name])
            sink.delete(watch.table)
        files = committed_files(self.rig.load_table(watch.table))
        return Drain(
            begin=watch.begin,
            commits=watch.commits,
            peak_mb=watch.peak_mb,
            sizes=[file.file_size_in_bytes for _, file in files],
            load=watch.load,
        )

    def _trickle(self, sink: Sink) -> Trickle:
        """Drain the backlog, so that the sink is warm; then see how fresh rows are."""
        with self.screen.step(f"{sink.label} at {RATE:,} records/s"):
            watch = self._start(sink, WIDE, TRICKLE_INTERVAL_MS)
            self._wait(watch, sink, self._in_topic[WIDE.name])
            since = time.time() + self.sizes.warm_up
            self._wait_for_producer(watch, sink)
            sink.delete(watch.table)
        rows = list(self._rows(watch, since))
        return Trickle(
            since=since,
            commits=watch.commits,
            rows=[row for file in rows for row in file],
            files=len(rows),
            peak_mb=watch.peak_mb,
            load=watch.load,
        )

    def _wait_for_producer(self, watch: Watch, sink: Sink) -> None:
        count = RATE * (self.sizes.warm_up + self.sizes.seconds)
        options = ("-n", str(count), "--rate", str(RATE))
        command = generator_command(WIDE.name, *options, servers=self.rig.servers)
        environment = self.rig.stack.tools.environment
        producer = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._in_topic[WIDE.name] += count
        try:
            self._wait(watch, sink, self._in_topic[WIDE.name])
        finally:
            producer.terminate()
            producer.wait()

    def _rows(self, watch: Watch, since: float) -> Iterator[list[tuple[float, float]]]:
        """Give for each file its rows: when each came to be seen, and its age then."""
        seen = {commit.made: commit.seen for commit in watch.commits if commit.seen > since}
        table = self.rig.load_table(watch.table)
        for made, file in committed_files(table):
            if made in seen:
                visible = datetime.fromtimestamp(seen[made], UTC)
                ages = ages_at_commit(table.io, committed=visible, file=file)
                yield [(seen[made], age) for age in ages]

    def _start(self, sink: Sink, payload: Payload, interval_ms: int) -> Watch:
        self._tables += 1
        table = f"run_{self._tables}"
        self.rig.create_table(table, payload)
        watch = Watch(self.rig.database, table, sink.processes)
        tasks = self.sizes.tasks
        sink.create(
            table, self.rig.config(table, payload.name, tasks=tasks, interval_ms=interval_ms)
        )
        return watch

    def _wait(self, watch: Watch, sink: Sink, rows: int) -> None:
        with self.screen.bar(f"{sink.label}, rows") as progress:
            if not watch.until(rows, seconds=self.sizes.patience, on_progress=progress):
                sys.exit(
                    f"{sink.label} shows {watch.rows:,} of {rows:,} rows after "
                    f"{self.sizes.patience} s: {sink.status(watch.table)}"
                )
