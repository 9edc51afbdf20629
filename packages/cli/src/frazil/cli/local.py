"""The verbs for a local stack, which is made of processes."""

import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import typer

from frazil.cli import logview, stack, status
from frazil.cli.connectors import NO_HEADERS, Headers
from frazil.cli.folder import StackFolder
from frazil.cli.kinds import Answer
from frazil.cli.query import answer
from frazil.cli.screen import Screen
from frazil.cli.stack import Stack
from frazil.cli.tables import Tables
from frazil.contracts.log_topics import DEFAULT_TOPICS, Topic
from frazil.runtime.alone import alone

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class LocalStack:
    folder: StackFolder
    screen: Screen

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def api_url(self) -> str:
        return self.folder.read_state().ports.api_url

    @property
    def headers(self) -> Headers:
        return NO_HEADERS

    @property
    def bootstrap_servers(self) -> str:
        return self.folder.read_state().ports.bootstrap_servers

    @property
    def log_topics(self) -> Mapping[Topic, str]:
        # The variables of the container stack rename nothing here.
        return DEFAULT_TOPICS

    def start(self, parts: Stack, desired_state: Path, *, afresh: bool = False) -> None:
        with alone(self.folder.start_lock):
            stack.require_stopped(self.folder)
            parts.ports.require_free()
            if afresh:
                self._delete()
            with self.stopped_after(only_if_it_fails=True):
                stack.start(parts, desired_state, self.screen.step)

    def stop(self) -> None:
        if stack.is_running(self.folder):
            self._stop()
        else:
            self.screen.say(f"The stack '{self.folder.name}' is not running.")

    @contextmanager
    def stopped_after(self, *, only_if_it_fails: bool = False) -> Iterator[None]:
        """Stop the stack when the block is done, however that ends."""
        try:
            yield
        except BaseException:
            self._stop()
            raise
        if not only_if_it_fails:
            self._stop()

    def deletable(self) -> list[str]:
        stack.require_stopped(self.folder)
        root = self.folder.root
        return [f"folder {root} ({_megabytes(root)})"] if root.exists() else []

    def clean(self) -> None:
        self._delete()
        self.screen.say(f"Deleted {self.folder.root}")

    def show_status(self) -> None:
        self.screen.table(status.COLUMNS, status.rows(self.folder))
        self.screen.say(status.summary(self.folder))

    def show_logs(self, service: str | None, *, follow: bool) -> None:
        logview.show(logview.log_files(self.folder, service), typer.echo)
        if follow:
            logview.follow(lambda: logview.log_files(self.folder, service), typer.echo)

    def tables(self) -> Answer:
        tables = Tables(self.folder)
        return ("table", "rows"), [(name, f"{tables.rows(name):,}") for name in tables.names()]

    def ask(self, question: str) -> Answer:
        return as_text(answer(Tables(self.folder), question))

    def _delete(self) -> None:
        stack.require_stopped(self.folder)
        shutil.rmtree(self.folder.root, ignore_errors=True)

    def _stop(self) -> None:
        # Impatience would leave processes behind; stopping is bounded.
        for number in ENDINGS:
            signal.signal(number, signal.SIG_IGN)
        with self.screen.step("Everything stopped"):
            stack.stop(self.folder)


def _megabytes(folder: Path) -> str:
    size = sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())
    return f"{size / 1e6:,.1f} MB"


def as_text(table: pa.Table) -> Answer:
    rows = [tuple(str(value) for value in row.values()) for row in table.to_pylist()]
    return table.column_names, rows
