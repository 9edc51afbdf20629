"""One run of one sink: a backlog, a steady rate, or first rows."""

import asyncio
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count

from bench.iceberg_sink.cases import Case
from bench.iceberg_sink.payloads import WIDE, Payload, fill
from bench.iceberg_sink.results import Drain, Start, Trickle
from bench.iceberg_sink.rig import Rig
from bench.iceberg_sink.sink import RunFailedError, Sink
from bench.iceberg_sink.watch import Watch

from frazil.cli.generator import generator_command, generator_environment
from frazil.cli.screen import Screen
from frazil.cli.tables import ages_at_commit, committed_files
from frazil.contracts.log_topics import Topic

RATE = 1000
# With so few records waiting there is no backlog; a trickle begins with some more.
_FEW = replace(WIDE, name="few", title="few")
_FEW_RECORDS = 1000
_TRICKLE_BACKLOG = 20_000


@dataclass(frozen=True)
class Sizes:
    """`scale` multiplies the backlogs; the rest is in seconds, but for the interval."""

    rounds: int
    scale: float
    interval_ms: int
    tasks: int
    warm_up: int
    seconds: int
    patience: int


@dataclass(frozen=True)
class Runs:
    """`filled` are the records of each topic."""

    rig: Rig
    screen: Screen
    sizes: Sizes
    filled: dict[str, int] = field(default_factory=dict)
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def fill(self, payload: Payload, records: int) -> None:
        """Fill a topic, unless it is full from another case."""
        if payload.name not in self.filled:
            self.rig.create_topics(payload.name)
            with self.screen.step(f"{records:,} records, {payload.title}"):
                filling = fill(self.rig.servers, payload, records, partitions=self.rig.partitions)
                asyncio.run(filling)
            self.filled[payload.name] = records

    def drain(self, case: Case, sink: Sink) -> Drain:
        topic = case.payload.name
        with self._connector(case, sink, topic) as watch:
            self._wait(watch, sink, self.filled[topic])
            if watch.rows > self.filled[topic]:
                raise RunFailedError(f"{sink.label} shows records twice: {watch.rows:,} rows")
        tables = [self.rig.lake.load_table(name) for name in watch.tables]
        files = [file for table in tables for _, file in committed_files(table)]
        return Drain(
            begin=watch.begin,
            commits=watch.commits,
            peak=watch.peak,
            sizes=[file.file_size_in_bytes for file in files],
            load=watch.load,
        )

    def trickle(self, case: Case, sink: Sink) -> Trickle:
        """Drain a backlog, so that the sink is warm; then see how fresh rows are."""
        topic = f"trickle_{next(self.numbers)}"
        self.fill(replace(case.payload, name=topic), _TRICKLE_BACKLOG)
        with self._connector(case, sink, topic) as watch:
            self._wait(watch, sink, self.filled[topic])
            since = time.time() + self.sizes.warm_up
            with self._producer(topic):
                self._wait(watch, sink, self.filled[topic])
        files = list(self._ages_of_files(watch, since))
        return Trickle(
            since=since,
            commits=watch.commits,
            rows=[row for file in files for row in file],
            files=len(files),
            peak=watch.peak,
            load=watch.load,
        )

    def start(self, case: Case, sink: Sink) -> Start:
        """Create connectors until each shows a row; the genuine worker always stands by."""
        backlog, few = self._first_rows(case, sink)
        if sink is self.rig.genuine:
            return Start(backlog, few, backlog, few)
        with self.rig.standby() as standby:
            return Start(backlog, few, *self._first_rows(case, standby, processes=2))

    def _first_rows(self, case: Case, sink: Sink, processes: int = 1) -> tuple[float, float]:
        """Return the seconds from POST to the first row, with a backlog and without."""
        self.fill(_FEW, _FEW_RECORDS)
        backlog = self._first_row(case, sink, case.payload, processes)
        return backlog, self._first_row(case, sink, _FEW, processes)

    def _first_row(self, case: Case, sink: Sink, payload: Payload, processes: int) -> float:
        # A standby worker is a process more, and comes up first.
        sink.wait_until_quiet(least=processes)
        with self._connector(case, sink, payload.name) as watch:
            self._wait(watch, sink, 1)
        return watch.commits[0].visible - watch.begin

    @contextmanager
    def _producer(self, topic: str) -> Iterator[None]:
        records = RATE * (self.sizes.warm_up + self.sizes.seconds)
        options = ("-n", str(records), "--rate", str(RATE))
        command = generator_command(Topic.API, *options, servers=self.rig.servers)
        environment = generator_environment(self.rig.stack.tools.environment, {Topic.API: topic})
        quiet = subprocess.DEVNULL
        producer = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)
        self.filled[topic] += records
        try:
            yield
        finally:
            producer.terminate()
            producer.wait()

    def _ages_of_files(self, watch: Watch, since: float) -> Iterator[list[tuple[float, float]]]:
        """Give for each file its rows: when each was visible, and its age then."""
        visible = {one.committed: one.visible for one in watch.commits if one.visible > since}
        (table,) = map(self.rig.lake.load_table, watch.tables)
        for committed, file in committed_files(table):
            if committed in visible:
                seen = visible[committed]
                at = datetime.fromtimestamp(seen, UTC)
                yield [(seen, age) for age in ages_at_commit(table.io, committed=at, file=file)]

    @contextmanager
    def _connector(self, case: Case, sink: Sink, topic: str) -> Iterator[Watch]:
        """Run a connector with tables of its own."""
        name, routed = f"run_{next(self.numbers)}", case.payload.tables
        for table in routed or [name]:
            self.rig.lake.create_table(table, case.payload)
        config = self.rig.config(
            topic,
            *([] if routed else [name]),
            tasks=self.sizes.tasks,
            interval_ms=case.interval_ms or self.sizes.interval_ms,
        )
        processes = sink.processes.count()
        watch = Watch(self.rig.lake, routed or [name], sink.processes)
        sink.create(name, {**config, **case.keys})
        try:
            yield watch
        except RunFailedError as error:
            raise RunFailedError(f"{error}: {sink.status(name)}") from error
        finally:
            sink.delete(name, most=processes)

    def _wait(self, watch: Watch, sink: Sink, rows: int) -> None:
        with self.screen.bar(f"{sink.label}, rows") as progress:
            watch.until(rows, patience=self.sizes.patience, on_progress=progress)
        if watch.rows < rows:
            raise RunFailedError(f"{sink.label} shows {watch.rows:,} of {rows:,} rows")
