"""Lines of a batch in files of their own, written by Spark and seen by nobody."""

import shutil
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from pyspark.sql import DataFrame

from frazil.spark_sink.counts import counts_of, observed
from frazil.spark_sink.lines import LinePlan
from frazil.spark_sink.raw import letters_of
from frazil.spark_sink.store import Written


class Spool:
    """A file of `Written` is a folder here; its parts are in the order of Kafka's partitions."""

    is_there = True

    def __init__(self, folder: Path, plan: LinePlan) -> None:
        self._folder = folder
        self._plan = plan

    def lost(self) -> None:
        """Tell of no newer ledger: what stands in the note is all that is known."""

    def undoing(self, *_: object) -> None:
        """Undo nothing: what is in a file stays there."""

    def end_sides(self, _epoch: int) -> None:
        """Have nothing to end: a file has no branches."""

    def write(self, part: DataFrame, partitions: Sequence[tuple[str, int]]) -> Written:
        folder = Path(tempfile.mkdtemp(prefix="spool-", dir=self._folder))
        read = self._plan.read(part)
        parsed, observation = observed(read, self._plan.fault, partitions)
        self._plan.lines(parsed).write.mode("append").text(str(folder))
        letters = partial(letters_of, read, self._plan.fault)
        return Written([folder], counts_of(observation), letters)

    def delete_files(self, files: list[Path]) -> None:
        for folder in files:
            shutil.rmtree(folder, ignore_errors=True)


def size_of(files: list[Path]) -> int:
    return sum(part.stat().st_size for part in _parts(files))


def copy(files: list[Path], target: BinaryIO) -> None:
    for part in _parts(files):
        with part.open("rb") as source:
            shutil.copyfileobj(source, target)


def _parts(files: list[Path]) -> list[Path]:
    return [part for folder in files for part in sorted(folder.glob("part-*"))]
