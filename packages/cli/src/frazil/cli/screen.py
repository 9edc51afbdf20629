"""What a person sees while waiting: steps that say how long they took, and progress bars."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

# Narrower ones cannot be read.
_LEAST_CELL = 8

OnProgress = Callable[[int, int], None]
Step = Callable[[str], AbstractContextManager[None]]


@contextmanager
def quiet_step(_title: str) -> Iterator[None]:
    """Say nothing: for steps inside a larger one."""
    yield


class Screen:
    def __init__(self) -> None:
        self.console = Console(highlight=False)
        self.errors = Console(stderr=True, highlight=False)

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        begin = time.monotonic()
        with self.console.status(f"{title} ..."):
            yield
        self.done(title, seconds=time.monotonic() - begin)

    def done(self, title: str, *, seconds: float | None = None) -> None:
        took = "" if seconds is None else f"[dim]{seconds:5.1f} s[/]"
        self.console.print(f"[green]✓[/] {title:<48} {took}".rstrip(), soft_wrap=True)

    def say(self, text: str) -> None:
        self.console.print(text)

    def warn(self, text: str) -> None:
        self.errors.print(text, style="yellow", markup=False, soft_wrap=True)

    def fail(self, text: str) -> None:
        self.errors.print(text, style="red", markup=False, soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print cells, numbers to the right; rows that are too wide for it one below the other."""
        if len(columns) * _LEAST_CELL > self.console.width:
            for row in rows:
                self._record(columns, row)
            return
        table = Table()
        for index, column in enumerate(columns):
            numeric = all(row[index][:1].isdigit() for row in rows)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold")
        for row in rows:
            table.add_row(*row)
        self.console.print(table)

    def _record(self, columns: Sequence[str], row: Sequence[str]) -> None:
        record = Table(show_header=False)
        record.add_column(no_wrap=True)
        record.add_column(overflow="fold")
        for cells in zip(columns, row, strict=True):
            record.add_row(*cells)
        self.console.print(record)

    @contextmanager
    def bar(self, title: str) -> Iterator[OnProgress]:
        """Give a function that moves the bar: done, total."""
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        silent = not self.console.is_terminal
        with Progress(*columns, console=self.console, transient=True, disable=silent) as progress:
            task = progress.add_task(title, total=None)
            yield lambda done, total: progress.update(task, completed=done, total=total)
