"""The storage that data files go to: local disk, and S3 by the properties of Iceberg's FileIO."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

from frazil.spark_sink.tasks.errors import UnsupportedTableError

_S3_SCHEMES = {"s3", "s3a", "s3n"}
_S3_KEYS = (
    "s3.endpoint",
    "s3.path-style-access",
    "s3.access-key-id",
    "s3.secret-access-key",
    "s3.session-token",
    "client.region",
    "client.assume-role.arn",
)
_REFUSED = {"s3.remote-signing-enabled": {"false"}, "s3.sse.type": {"none"}}


class Storage:
    """Opens and deletes the files of one table by their locations."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._s3 = tuple((key, properties[key]) for key in _S3_KEYS if properties.get(key))

    def create(self, location: str) -> pa.NativeFile:
        """Open a new file; on S3 its parts are sent in the background while it is written."""
        filesystem, path = self._resolve(location)
        if isinstance(filesystem, fs.LocalFileSystem):
            filesystem.create_dir(str(PurePosixPath(path).parent), recursive=True)
        return filesystem.open_output_stream(path)

    def delete(self, locations: Iterable[str]) -> None:
        """Delete files; a file that does not exist is no error.

        On S3 Arrow leaves an empty object with the name of the folder.
        """
        for location in locations:
            filesystem, path = self._resolve(location)
            try:
                filesystem.delete_file(path)
            except FileNotFoundError:
                continue

    def _resolve(self, location: str) -> tuple[fs.FileSystem, str]:
        scheme, path = split_location(location)
        return (_s3(self._s3) if scheme else _local()), path


def check_storage(location: str, properties: Mapping[str, str]) -> None:
    """Raise UnsupportedTableError if files cannot be written to a location."""
    scheme, _ = split_location(location)
    for key, allowed in _REFUSED.items() if scheme else ():
        if properties.get(key, min(allowed)).lower() not in allowed:
            raise UnsupportedTableError(f"the catalog asks for {key}, which is not supported")


def split_location(location: str) -> tuple[str, str]:
    """Return "s3" or "" for local disk, and the path in that file system."""
    scheme, separator, rest = location.partition(":")
    if not separator or "/" in scheme:
        return "", location
    if scheme == "file":
        # The path is taken as it stands: the folders of partitions have escapes of their own.
        return "", f"/{rest.lstrip('/')}"
    if scheme in _S3_SCHEMES:
        return "s3", rest.removeprefix("//")
    raise UnsupportedTableError(f"files cannot be written to {scheme}: ({location})")


@lru_cache(maxsize=1)
def _local() -> fs.LocalFileSystem:
    return fs.LocalFileSystem()


@lru_cache(maxsize=16)
def _s3(settings: tuple[tuple[str, str], ...]) -> fs.S3FileSystem:
    """Connect to S3; without keys the credentials are those of the machine."""
    get = dict(settings).get
    endpoint = get("s3.endpoint")
    address = urlsplit(endpoint) if endpoint else None
    return fs.S3FileSystem(
        access_key=get("s3.access-key-id"),
        secret_key=get("s3.secret-access-key"),
        session_token=get("s3.session-token"),
        role_arn=None if get("s3.access-key-id") else get("client.assume-role.arn"),
        region=get("client.region") or ("us-east-1" if endpoint else None),
        scheme=address.scheme if address else "https",
        endpoint_override=address.netloc if address else None,
        force_virtual_addressing=address is not None
        and get("s3.path-style-access") != "true"
        and not _is_ip(address.hostname or ""),
        # A file that fits in one part takes one request instead of three.
        allow_delayed_open=True,
    )


def _is_ip(host: str) -> bool:
    """Tell whether a host is an address, before which no bucket's name can stand."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
