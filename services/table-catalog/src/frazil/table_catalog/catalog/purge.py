"""Deleting all files of a dropped table: data, manifests, lists, statistics, metadata."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from pyiceberg.io import FileIO, InputFile, OutputFile
from pyiceberg.manifest import read_manifest_list

from frazil.runtime.logs import get_logger
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.core.errors import CatalogError, NotFoundError
from frazil.table_catalog.core.folders import at_or_below
from frazil.table_catalog.core.names import within

log = get_logger(__name__)


class _Input(InputFile):
    def __init__(self, files: Files, location: str) -> None:
        super().__init__(location)
        self._files = files

    def __len__(self) -> int:
        return len(self._files.read(self.location))

    def exists(self) -> bool:
        raise NotImplementedError

    def open(self, seekable: bool = True) -> Any:  # noqa: ARG002 (PyIceberg's word)
        return BytesIO(self._files.read(self.location))


class _Reading(FileIO):
    """As much of PyIceberg's file IO as its readers of manifests need."""

    def __init__(self, files: Files, is_ours: Callable[[str], bool]) -> None:
        super().__init__({})
        self._files = files
        self._is_ours = is_ours

    def new_input(self, location: str) -> InputFile:
        if not self._is_ours(location):
            raise NotFoundError(f"{location} is not in the table's own folder")
        return _Input(self._files, location)

    def new_output(self, location: str) -> OutputFile:
        raise NotImplementedError

    def delete(self, location: str | InputFile | OutputFile) -> None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Purge:
    """Deletes files in the folders of a table, but for those that are others' too.

    Metadata are as writers made them: they could name files of others to have us delete them.
    """

    files: Files
    folders: Sequence[str]
    others: Sequence[str]

    def run(self, location: str, metadata: Mapping[str, Any]) -> None:
        """Delete what can be found; what cannot be deleted is logged."""
        seen: set[str] = set()
        for path in _files_of(_Reading(self.files, self._is_ours), location, metadata):
            if path not in seen:
                seen.add(path)
                self._delete(path)
        log.info("table_purged", metadata=location, files=len(seen))

    def _delete(self, path: str) -> None:
        if not self._is_ours(path):
            log.warning("file_not_purged", file=path, why="it is not in the table's own folder")
            return
        try:
            self.files.delete(path)
        except CatalogError as error:
            log.warning("file_not_purged", file=path, why=error.message)

    def _is_ours(self, path: str) -> bool:
        return any(within(path, folder) for folder in self.folders) and not any(
            at_or_below(path, folder) for folder in self.others
        )


def _files_of(reading: FileIO, location: str, metadata: Mapping[str, Any]) -> Iterator[str]:
    """Yield what points at other files after what it points at."""
    opened: set[str] = set()
    for snapshot in metadata.get("snapshots", ()):
        try:
            yield from _files_of_snapshot(reading, snapshot["manifest-list"], opened)
        except (CatalogError, ValueError, KeyError, EOFError) as error:
            log.warning("snapshot_not_purged", metadata=location, why=repr(error))
    for kind in ("statistics", "partition-statistics"):
        yield from (one["statistics-path"] for one in metadata.get(kind, ()))
    yield from (one["metadata-file"] for one in metadata.get("metadata-log", ()))
    yield location


def _files_of_snapshot(reading: FileIO, manifest_list: str, opened: set[str]) -> Iterator[str]:
    for manifest in read_manifest_list(reading.new_input(manifest_list)):
        # Snapshots share manifests: one that was opened is deleted by now.
        if manifest.manifest_path in opened:
            continue
        opened.add(manifest.manifest_path)
        for entry in manifest.fetch_manifest_entry(reading, discard_deleted=False):
            yield entry.data_file.file_path
        yield manifest.manifest_path
    yield manifest_list
