"""Metadata files, on local disk or in S3: written once under a new name, never changed."""

import gzip
import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Protocol

from frazil.table_catalog.core.errors import BadRequestError, NotFoundError, StoreError


class Store(Protocol):
    """Files of one scheme. Reading raises NotFoundError, trouble is a StoreError."""

    def read(self, location: str) -> bytes: ...

    def write_new(self, location: str, content: bytes) -> None: ...

    def delete(self, location: str) -> None: ...

    def prepare(self, location: str) -> None:
        """Make the place of a warehouse, if there is not one yet."""

    def check(self, location: str) -> None:
        """Raise StoreError if the place of a warehouse cannot be used."""


class LocalStore:
    def read(self, location: str) -> bytes:
        try:
            return _path(location).read_bytes()
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

    def __init__(self, *, s3: Store | None = None, most_bytes: int = 0) -> None:
        local = LocalStore()
        self._stores: dict[str, Store] = {"file": local}
        if s3 is not None:
            self._stores |= {"s3": s3, "s3a": s3}
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._most_bytes = most_bytes
        self._lock = Lock()

    def read(self, location: str) -> bytes:
        """Read a file; raises NotFoundError if it is not there."""
        return self._store(location).read(location)

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
            return gzip.decompress(content)
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
