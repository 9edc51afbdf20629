"""FileStreamSource: the lines of a file that grows, in batches that end with a line."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from frazil.contracts.assignment import Assignment
from frazil.contracts.plugins.file_stream import FILENAME, POSITION
from frazil.runtime.logs import get_logger
from frazil.spark_source.config import source_config
from frazil.spark_source.core.lines import Cut, cut
from frazil.spark_source.job import SourceJob
from frazil.spark_source.reader import Batch, Offset
from frazil.worker.board import StatusBoard
from frazil.worker.connector import file_path, read_config
from frazil.worker.errors import DataLossError, UnavailableError

log = get_logger(__name__)

_CHUNK = 1 << 20


def job(assignment: Assignment, board: StatusBoard) -> SourceJob:
    config = read_config(assignment)
    name = config["file"]
    if not name:
        log.warning("no_file", text="`file` is not set, and a worker's standard input is empty")
    reader = FileReader(
        name or "", file_path(assignment, name) if name else None, most_lines=config["batch.size"]
    )
    return SourceJob(source_config(assignment, config), reader, board)


class FileReader:
    """Opens the file anew for each batch, so that it may come late, or be replaced."""

    def __init__(self, name: str, path: Path | None, *, most_lines: int) -> None:
        self._name = name
        self._path = path
        self._most_lines = most_lines

    @property
    def partition(self) -> Mapping[str, str]:
        return {FILENAME: self._name}

    def read(self, offset: Offset | None) -> Batch | None:
        position = int((offset or {}).get(POSITION) or 0)
        try:
            found = self._cut(position)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnavailableError(f"{self._path} cannot be read: {error.strerror}.") from error
        return Batch(found.lines, {POSITION: position + found.length}) if found.lines else None

    def _cut(self, position: int) -> Cut:
        if self._path is None:
            return Cut([], 0)
        with self._path.open("rb") as file:
            self._require_length(os.fstat(file.fileno()).st_size, position)
            file.seek(position)
            return _next_lines(file, self._most_lines)

    def _require_length(self, size: int, position: int) -> None:
        if size < position:
            raise DataLossError(
                f"{self._path} has {size} bytes, but {position} were read before: it was cut off "
                "or replaced. To read it from its beginning stop the connector, delete its "
                "offsets (DELETE /connectors/<name>/offsets) and resume it."
            )


def _next_lines(file: BinaryIO, most: int) -> Cut:
    """Read on until there is a line end; a line may be longer than any chunk."""
    data = file.read(_CHUNK)
    found = cut(data, most)
    while not found.lines and (more := file.read(len(data))):
        data += more
        found = cut(data, most)
    return found
