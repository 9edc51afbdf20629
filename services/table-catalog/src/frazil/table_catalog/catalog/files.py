"""Metadata files, on local disk or in S3: written once under a new name, never changed."""

import os
import zlib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Protocol

from frazil.table_catalog.core.errors import BadRequestError, NotFoundError, StoreError

# Of `zlib`: with the head and the end that gzip has.
_GZIP = 16 + zlib.MAX_WBITS


class Store(Protocol):
    """Files of one scheme. Reading raises NotFoundError, trouble is a StoreError."""

    def read(self, location: str, most: int) -> bytes:
        """Read a file, or no more than its first bytes."""

    def write_new(self, location: str, content: bytes) -> None: ...

    def delete(self, location: str) -> None: ...

    def prepare(self, location: str) -> None:
        """Make the place of a warehouse, if there is not one yet."""

    def check(self, location: str) -> None:
        """Raise StoreError if the place of a warehouse cannot be used."""


class LocalStore:
    def read(self, location: str, most: int) -> bytes:
        try:
            with _path(location).open("rb") as file:
                return file.read(most)
        except FileNotFoundError:
            raise NotFoundError(f"There is no file {location}") from None
        except OSError as error:
            raise StoreError(f"{location} cannot be read: {error.strerror}") from error

    def write_new(self, location: str, content: bytes) -> None:
        path = _path(location)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            _sync_folder(path.parent)
        except OSError as error:
            raise StoreError(f"{location} cannot be written: {error.strerror}") from error

    def delete(self, location: str) -> None:
        try:
            _path(location).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{location} cannot be deleted: {error.strerror}") from error

    def prepare(self, location: str) -> None:
        _path(location).mkdir(parents=True, exist_ok=True)

    def check(self, location: str) -> None:
        if not os.access(_path(location), os.W_OK):
            raise StoreError(f"{location} is not there, or cannot be written to")


def _path(location: str) -> Path:
    # Nothing in it is quoted: that is how PyArrow and Hadoop read it.
    return Path("/" + location.removeprefix("file:").lstrip("/"))


def _sync_folder(folder: Path) -> None:
    """A new name is kept by its folder, which has to be on disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Files:
    """Finds the store of a location, and keeps what was read lately, up to a number of bytes."""

    def __init__(
        self, *, s3: Store | None = None, most_bytes: int = 0, most_each: int = 256 * 1024 * 1024
    ) -> None:
        local = LocalStore()
        self._stores: dict[str, Store] = {"file": local}
        if s3 is not None:
            self._stores |= {"s3": s3, "s3a": s3}
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._most_bytes = most_bytes
        self.most_each = most_each
        self._lock = Lock()

    def read(self, location: str) -> bytes:
        """Read a file; raises NotFoundError if it is not there, BadRequestError if it is large."""
        content = self._store(location).read(location, self.most_each + 1)
        return self._bounded(location, content)

    def read_metadata(self, location: str) -> bytes:
        """Return JSON, from memory if it can be: metadata files never change."""
        return self.recall(location, lambda: self._read_plain(location))

    def recall(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return what is kept under a name; for what is made of one metadata file alone."""
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        content = make()
        self._keep(name, content)
        return content

    def _read_plain(self, location: str) -> bytes:
        content = self.read(location)
        if location.endswith((".gz.metadata.json", ".metadata.json.gz")):
            return self._unpacked(location, content)
        return content

    def _unpacked(self, location: str, content: bytes) -> bytes:
        unpacking = zlib.decompressobj(_GZIP)
        try:
            plain = unpacking.decompress(content, self.most_each + 1)
        except zlib.error as error:
            raise BadRequestError(f"{location} cannot be unpacked: {error}") from error
        if not unpacking.eof and not unpacking.unconsumed_tail:
            raise BadRequestError(f"{location} cannot be unpacked: its end is missing")
        return self._bounded(location, plain)

    def _bounded(self, location: str, content: bytes) -> bytes:
        if len(content) > self.most_each:
            raise BadRequestError(
                f"{location} has more than {self.most_each} bytes: FRAZIL_MAX_METADATA_BYTES"
            )
        return content

    def write_metadata(self, location: str, content: bytes) -> None:
        self._store(location).write_new(location, content)
        self._keep(location, content)

    def delete(self, location: str) -> None:
        with self._lock:
            self._kept_bytes -= len(self._kept.pop(location, b""))
        self._store(location).delete(location)

    def prepare(self, location: str) -> None:
        self._store(location).prepare(location)

    def check(self, location: str) -> None:
        self._store(location).check(location)

    def _store(self, location: str) -> Store:
        scheme = location.partition(":")[0]
        if scheme not in self._stores:
            raise BadRequestError(f"there is no store for {location}")
        return self._stores[scheme]

    def _keep(self, name: str, content: bytes) -> None:
        with self._lock:
            if name in self._kept or len(content) > self._most_bytes:
                return
            self._kept[name] = content
            self._kept_bytes += len(content)
            while self._kept_bytes > self._most_bytes:
                _, dropped = self._kept.popitem(last=False)
                self._kept_bytes -= len(dropped)
