"""The records of a batch that are for one table, as tasks have them."""

from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import DataFrame

from frazil.spark_sink.counts import BatchCounts, batch_counts
from frazil.spark_sink.task_runner import Piece, TaskRunner
from frazil.spark_sink.tasks.plan import TablePlan
from frazil.spark_sink.tasks.result import Asked, Counts, DeadLetter, TableResult
from frazil.spark_sink.tasks.storage import Storage


class Part:
    """One table's share of a batch, once tasks have gone through the pieces of the batch.

    Its files are deleted at the end of the batch, unless the table has taken them.
    """

    def __init__(self, runner: TaskRunner, table: str, pieces: Sequence[Piece]) -> None:
        self._runner = runner
        self._table = table
        self._pieces = pieces
        self._is_taken = False

    @property
    def _results(self) -> list[TableResult]:
        return [piece.result.tables[self._table] for piece in self._pieces]

    @property
    def plan(self) -> TablePlan:
        """Return how the table was described to the tasks that were run last."""
        return self._pieces[-1].plan.tables[self._table]

    @property
    def failure(self) -> Exception | None:
        """Return what kept a task from writing this table."""
        return next((one.failure for one in self._results if one.failure is not None), None)

    @property
    def asked(self) -> list[Asked]:
        """List the columns that records ask for."""
        return [ask for one in self._results for ask in one.asked]

    @property
    def files(self) -> list[Any]:
        """List the staged files."""
        return [file for one in self._results for file in one.files]

    def run_again(self, plan: TablePlan) -> None:
        """Have those pieces done once more whose records asked for columns."""
        asking = {id(one.source) for one in self._pieces if one.result.tables[self._table].asked}
        again = {id(one.source): one.source for one in self._pieces if id(one.source) in asking}
        kept = [one for one in self._pieces if id(one.source) not in asking]
        # Another task of the same frame may have written files already.
        self._delete([one for one in self._pieces if id(one.source) in asking])
        self._pieces = kept
        self._pieces = [*kept, *self._runner.run([*again.values()], {self._table: plan})]

    def counts(self) -> BatchCounts:
        """Sum up what became of the records."""
        total = Counts()
        for one in self._results:
            total.add(one.counts)
        return batch_counts(
            total,
            first_dead=first_of(one.dead_letters.first for one in self._results),
            first_stop=first_of(one.stop for one in self._results),
        )

    def letters(self) -> DataFrame:
        """Give the dead letters as a frame."""
        letters = [(one, one.result.tables[self._table].dead_letters) for one in self._pieces]
        return self._runner.letters(letters, self._table)

    def take_files(self) -> list[Any]:
        """Take over the staged files."""
        files, self._is_taken = self.files, True
        return files

    def discard(self) -> None:
        """Delete the files that nobody has taken over, and forget what was read."""
        if not self._is_taken:
            self._delete(self._pieces)
        self._runner.release()

    def _delete(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            plan, result = piece.plan.tables[self._table], piece.result.tables[self._table]
            if plan.files is not None and result.files:
                Storage(plan.files.storage).delete(file.path for file in result.files)


def first_of(letters: Iterable[DeadLetter | None]) -> DeadLetter | None:
    """Return the letter whose record comes first."""
    present = [letter for letter in letters if letter is not None]
    return min(present, key=lambda letter: letter.place, default=None)
