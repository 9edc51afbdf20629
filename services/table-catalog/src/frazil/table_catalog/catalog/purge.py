"""Deleting all files of a dropped table: data, manifests, lists, statistics, metadata."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frazil.runtime.logs import get_logger
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.manifests import files_in, manifests_in
from frazil.table_catalog.core.errors import CatalogError, NotFoundError
from frazil.table_catalog.core.folders import at_or_below
from frazil.table_catalog.core.names import within

log = get_logger(__name__)


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
        for path in self._files_of(location, metadata):
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

    def _files_of(self, location: str, metadata: Mapping[str, Any]) -> Iterator[str]:
        """Yield what points at other files after what it points at."""
        opened: set[str] = set()
        for snapshot in metadata.get("snapshots", ()):
            try:
                yield from self._files_of_snapshot(snapshot["manifest-list"], opened)
            except (CatalogError, KeyError) as error:
                log.warning("snapshot_not_purged", metadata=location, why=repr(error))
        for kind in ("statistics", "partition-statistics"):
            yield from (one["statistics-path"] for one in metadata.get(kind, ()))
        yield from (one["metadata-file"] for one in metadata.get("metadata-log", ()))
        yield location

    def _files_of_snapshot(self, manifest_list: str, opened: set[str]) -> Iterator[str]:
        most = self.files.most_each
        for manifest in manifests_in(self._read(manifest_list), most=most):
            # Snapshots share manifests: one that was opened is deleted by now.
            if manifest in opened:
                continue
            opened.add(manifest)
            yield from files_in(self._read(manifest), most=most)
            yield manifest
        yield manifest_list

    def _read(self, path: str) -> bytes:
        if not self._is_ours(path):
            raise NotFoundError(f"{path} is not in the table's own folder")
        return self.files.read(path)
