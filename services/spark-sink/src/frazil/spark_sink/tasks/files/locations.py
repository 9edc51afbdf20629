"""Where data files go, as Iceberg's location providers and its file factory name them."""

from collections.abc import Mapping

from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.partitions import PartitionSpec, Values
from frazil.spark_sink.tasks.transforms import hash_text

_DATA_PATH = "write.data.path"
_OBJECT_STORE = "write.object-storage.enabled"
_PARTITIONED = "write.object-storage.partitioned-paths"
_REFUSED = (
    "write.location-provider.impl",
    "write.object-storage.path",
    "write.folder-storage.path",
)
_HASH_BITS = 20


class Locations:
    """Names the files of one table."""

    def __init__(self, location: str, spec: PartitionSpec, properties: Mapping[str, str]) -> None:
        for key in _REFUSED:
            if key in properties:
                raise UnsupportedTableError(f"the table property {key} cannot be honoured")
        table = location.rstrip("/")
        self._spec = spec
        self.root = properties.get(_DATA_PATH, f"{table}/data").rstrip("/")
        self._hashed = _is_true(properties.get(_OBJECT_STORE, "false"))
        self._folders = spec.partitioned and (
            not self._hashed or _is_true(properties.get(_PARTITIONED, "true"))
        )
        self._dash = self._hashed and not _is_true(properties.get(_PARTITIONED, "true"))
        self._context = "" if self.root.startswith(table) else _context(table)

    def file(self, partition: Values, name: str) -> str:
        """Return the location of a file of a partition."""
        path = f"{self._spec.path(partition)}/{name}" if self._folders else name
        if not self._hashed:
            return f"{self.root}/{path}"
        folders = entropy(path)
        if self._context:
            return f"{self.root}/{folders}/{self._context}/{path}"
        return f"{self.root}/{folders}{'-' if self._dash else '/'}{path}"


def file_prefix(partition: int, task: int, operation: str) -> str:
    """Name a task's files as Iceberg does; a number and `.parquet` follow."""
    return f"{partition:05d}-{task}-{operation}"


def entropy(path: str) -> str:
    """Spread files over prefixes by the last 20 bits of their paths' murmur3 hashes."""
    bits = f"{hash_text(path, _HASH_BITS):0{_HASH_BITS}b}"
    return f"{bits[:4]}/{bits[4:8]}/{bits[8:12]}/{bits[12:]}"


def _context(table: str) -> str:
    return "/".join(table.strip("/").split("/")[-2:])


def _is_true(text: str) -> bool:
    return text.lower() == "true"
