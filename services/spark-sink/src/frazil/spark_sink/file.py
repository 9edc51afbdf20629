"""The file sink: its keys, and the file or the log that they name."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.assignment import Assignment
from frazil.spark_sink.config import sink_config
from frazil.spark_sink.file_store import FileStore, FirstLedger, LogStore
from frazil.spark_sink.job import SinkJob
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.lines import LinePlan
from frazil.spark_sink.store import Enter, Records, Split
from frazil.worker.board import StatusBoard
from frazil.worker.connector import file_path, read_config

_INTERVAL_MS = 500


def job(assignment: Assignment, board: StatusBoard) -> SinkJob:
    keys = read_config(assignment)
    name = keys["file"]
    destination = FileDestination(
        connector=assignment.connector,
        path=file_path(assignment, name) if name else None,
        folder=board.folder,
        plan=LinePlan.of(keys),
    )
    config = sink_config(assignment, keys, commit_interval_ms=_INTERVAL_MS)
    return SinkJob(config, destination, board)


@dataclass(frozen=True)
class FileDestination:
    connector: str
    path: Path | None
    folder: Path
    plan: LinePlan

    @property
    def spark_conf(self) -> dict[str, str]:
        return {"spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}

    def open(self, _spark: SparkSession, broker: Broker) -> "FileStores":
        return FileStores(self, broker)

    def store(self, first: FirstLedger) -> FileStore | LogStore:
        if self.path is None:
            return LogStore(self.folder, self.plan, first=first)
        return FileStore(
            self.folder, self.plan, path=self.path, connector=self.connector, first=first
        )


@dataclass(frozen=True)
class FileStores:
    """The one file, or the log."""

    destination: FileDestination
    broker: Broker
    listed: tuple[str, ...] = ("file",)
    threads: int = 1
    takes_ranges: bool = False
    letters: None = None
    open_maintenance: None = None

    def open(self, _name: str) -> FileStore | LogStore:
        return self.destination.store(self.broker.group_ledger)

    def part(self, _name: str, records: DataFrame) -> DataFrame:
        return records

    def split(self, records: Records, _enter: Enter) -> Split:
        return Split({self.listed[0]: records.frame})

    def hint(self) -> None:
        """Say nothing: the store is known, and has a ledger from the group if from nowhere else."""

    def tell(self, _names: Iterable[str]) -> None:
        """Tell nobody."""

    def close(self) -> None:
        """Close nothing: each file is closed when it is written."""
