"""Reads the tables of a stack with PyIceberg: names, rows, files and when each was committed."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pyarrow.parquet as pq
from pyiceberg.exceptions import NoSuchNamespaceError
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import DataFile
from pyiceberg.table import Table

from frazil.cli.catalog import client_properties
from frazil.cli.folder import NotStartedError, StackFolder
from frazil.cli.stack import CATALOG
from frazil.iceberg.catalogs import SafeRestCatalog
from frazil.runtime.errors import UserError

NAMESPACE = "streaming"


class NoTablesError(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(f"The stack '{name}' has no tables yet. `frazil dev` makes them.")


class Tables:
    """The tables of one stack, by their short names."""

    def __init__(self, folder: StackFolder) -> None:
        """Raise NotStartedError if there is no catalog that could be asked."""
        url = folder.read_state().ports.catalog_url
        if not folder.service(CATALOG).is_alive():
            raise NotStartedError(folder.name)
        self._name = folder.name
        properties = client_properties(url, folder.catalog_key)
        self._catalog = SafeRestCatalog("iceberg", properties, PyArrowFileIO())

    def names(self) -> list[str]:
        try:
            return sorted(name for *_, name in self._catalog.list_tables(NAMESPACE))
        except NoSuchNamespaceError as error:
            raise NoTablesError(self._name) from error

    def load(self, name: str) -> Table:
        table: Table = self._catalog.load_table((NAMESPACE, name))
        return table

    def rows(self, name: str) -> int:
        """Count the visible rows, from the summary of the current snapshot alone."""
        snapshot = self.load(name).current_snapshot()
        summary = snapshot.summary if snapshot else None
        return int(summary.get("total-records", "0")) if summary else 0


def committed_files(table: Table) -> Iterator[tuple[datetime, DataFile]]:
    """Give each live data file with the time of the snapshot that brought it."""
    current = table.current_snapshot()
    if current is None:
        return
    committed = {
        snapshot.snapshot_id: datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC)
        for snapshot in table.snapshots()
    }
    for manifest in current.manifests(table.io):
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
            if entry.snapshot_id is not None:
                yield committed[entry.snapshot_id], entry.data_file


def ages_at_commit(io: FileIO, *, committed: datetime, file: DataFile) -> list[float]:
    """Return for each row the seconds from its record's `time` to the commit."""
    with io.new_input(file.file_path).open() as source:
        times = pq.read_table(source, columns=["time"])["time"].to_pylist()
    return [(committed - time).total_seconds() for time in times]
