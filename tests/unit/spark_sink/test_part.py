"""One table's share of a batch: it is done again where records asked for columns."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from frazil.spark_sink.records.conversion import ConversionRules
from frazil.spark_sink.records.errors import Stage
from frazil.spark_sink.records.model import KafkaRecord
from frazil.spark_sink.records.schema.changes import AddColumn
from frazil.spark_sink.records.schema.types import Column, Primitive, Struct
from frazil.spark_sink.store import Records, Split
from frazil.spark_sink.tables.part import Part
from frazil.spark_sink.tables.split import split_by_tasks
from frazil.spark_sink.task_runner import Piece
from frazil.spark_sink.tasks.files.data_file import DataFile
from frazil.spark_sink.tasks.files.metrics import Metrics
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.offset_range import OffsetRange
from frazil.spark_sink.tasks.partitions import PartitionSpec
from frazil.spark_sink.tasks.plan import RecordPlan, TablePlan, TaskPlan
from frazil.spark_sink.tasks.result import (
    Asked,
    Counts,
    DeadLetter,
    DeadLetters,
    Place,
    TableResult,
    WriteResult,
)

COLUMNS = Struct((Column("id", Primitive("long"), id=1),))
FIRST, SECOND = (OffsetRange("t", 0, 0, 5),), (OffsetRange("t", 0, 5, 9),)
ASKED = (Asked(Place("t", 0, 6), (AddColumn((), "new", Primitive("long")),)),)


def table_plan(folder: Path, name: str = "a.b") -> TablePlan:
    files = FilesPlan(COLUMNS, 0, PartitionSpec(), folder.as_uri())
    return TablePlan(name, COLUMNS, ConversionRules(), files=files)


def staged(folder: Path, name: str) -> DataFile:
    path = folder / name
    path.write_text("rows")
    metrics = Metrics(1, {}, {}, {}, {}, {}, {})
    return DataFile(path.as_uri(), 4, 0, (), metrics, ())


def result(*files: DataFile, consumed: int = 1, **more: Any) -> TableResult:
    letters = more.pop("dead_letters", DeadLetters())
    return TableResult(Counts(consumed=consumed), letters, files, **more)


class FakeRunner:
    """Gives results that were prepared, and remembers what it was asked to run."""

    def __init__(self, *results: WriteResult, tasks: int = 2) -> None:
        self.results = list(results)
        self.tasks = min(tasks, len(results))
        self.runs: list[tuple[list[Any], list[str]]] = []
        self.released = False

    def sources(self, _records: Records) -> list[Any]:
        return [FIRST, SECOND][: self.tasks]

    def letters(self, *_: object) -> None:
        """Give none: nobody asks for them here."""

    def release(self) -> None:
        self.released = True

    def run(self, sources: Sequence[Any], tables: Mapping[str, TablePlan]) -> list[Piece]:
        self.runs.append(([*sources], sorted(tables)))
        records: Any = RecordPlan.__new__(RecordPlan)
        plan = TaskPlan(records, tables)
        return [Piece(source, plan, self.results.pop(0)) for source in sources]


class IdleRunner(FakeRunner):
    """Has something to read, in which there is nothing."""

    def sources(self, _records: Records) -> list[Any]:
        return [FIRST]

    def run(self, _sources: Sequence[Any], _tables: Mapping[str, TablePlan]) -> list[Piece]:
        return []


def part_of(runner: Any, plan: TablePlan) -> Part:
    return Part(runner, "a.b", runner.run([FIRST, SECOND], {"a.b": plan}))


def test_only_what_asked_for_columns_is_done_again(tmp_path: Path) -> None:
    kept, again = staged(tmp_path, "kept"), staged(tmp_path, "again")
    runner = FakeRunner(
        WriteResult({"a.b": result(kept, consumed=5)}),
        WriteResult({"a.b": result(asked=ASKED, consumed=4)}),
        WriteResult({"a.b": result(again, consumed=4)}),
    )
    part = part_of(runner, table_plan(tmp_path))
    assert part.asked == [*ASKED]
    part.run_again(table_plan(tmp_path))
    assert runner.runs[1:] == [([SECOND], ["a.b"])]
    assert part.files == [kept, again]
    assert part.counts().consumed == 9


@pytest.mark.parametrize("is_taken", [True, False])
def test_files_that_nobody_takes_over_are_deleted(tmp_path: Path, is_taken: bool) -> None:
    file = staged(tmp_path, "rows")
    runner = FakeRunner(WriteResult({"a.b": result(file)}), WriteResult({"a.b": result()}))
    part = part_of(runner, table_plan(tmp_path))
    if is_taken:
        assert part.take_files() == [file]
    part.discard()
    assert (tmp_path / "rows").exists() is is_taken
    assert runner.released


def test_the_first_dead_letter_is_that_of_the_least_offset(tmp_path: Path) -> None:
    def letters(offset: int) -> DeadLetters:
        found = DeadLetters()
        found.add(DeadLetter(KafkaRecord("t", 0, offset, None, None, b""), Stage.PUT, None, "why"))
        return found

    runner = FakeRunner(
        WriteResult({"a.b": result(dead_letters=letters(7))}),
        WriteResult({"a.b": result(dead_letters=letters(3))}),
    )
    first = part_of(runner, table_plan(tmp_path)).counts().first_dead
    assert first is not None
    assert (first.offset, first.reason) == (3, "why")


def split(
    runner: FakeRunner, known: Mapping[str, TablePlan], others: Mapping[str, TablePlan]
) -> Split:
    frame: Any = None
    runner_: Any = runner
    return split_by_tasks(
        runner_,
        Records(frame),
        lambda names: {n: others[n] for n in names if n in others} if names else known,
    )


def test_an_empty_frame_of_which_spark_makes_no_task_is_for_no_table(tmp_path: Path) -> None:
    runner = IdleRunner()
    found = split(runner, {"a.b": table_plan(tmp_path)}, {})
    assert (found.parts, found.total) == ({}, 0)
    found.close()
    assert runner.released


def test_tables_that_records_name_for_the_first_time_are_written_in_a_second_pass(
    tmp_path: Path,
) -> None:
    runner = FakeRunner(
        WriteResult(
            {"a.b": result()}, consumed=5, routed={"a.b": 2, "a.c": 2, "a.d": 1}, unrouted=1
        ),
        WriteResult({"a.c": result(consumed=2)}),
        tasks=1,
    )
    found = split(runner, {"a.b": table_plan(tmp_path)}, {"a.c": table_plan(tmp_path, "a.c")})
    assert runner.runs == [([FIRST], ["a.b"]), ([FIRST], ["a.c"])]
    assert sorted(found.parts) == ["a.b", "a.c"]
    assert (found.counts, found.total, found.astray) == ({"a.b": 2, "a.c": 2, "a.d": 1}, 5, 1)


def test_an_empty_batch_is_for_no_table(tmp_path: Path) -> None:
    found = split(FakeRunner(), {"a.b": table_plan(tmp_path)}, {})
    assert (found.parts, found.total) == ({}, 0)


def test_a_table_without_records_of_its_own_has_no_part(tmp_path: Path) -> None:
    runner = FakeRunner(WriteResult({"a.b": result(), "a.c": result()}, routed={"a.c": 1}))
    plans = {"a.b": table_plan(tmp_path), "a.c": table_plan(tmp_path, "a.c")}
    assert sorted(split(runner, plans, {}).parts) == ["a.c"]
