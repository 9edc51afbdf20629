"""Metadata files below a connector's warehouse. PyIceberg's own ways would triple the image."""

import io
import zlib
from collections.abc import Sequence
from pathlib import Path

import boto3
from botocore.config import Config
from pyiceberg.io import InputFile, InputStream
from pyiceberg.typedef import Properties

from frazil.control_api.tables.errors import UnreadableError
from frazil.iceberg.files import NoFiles

LARGEST_FILE = 64 * 1024 * 1024
_PACKED = ".gz.metadata.json"
_GZIP = 16 + zlib.MAX_WBITS
_S3 = ("s3", "s3a", "s3n")
_KEYS = ("s3.access-key-id", "s3.secret-access-key")


class MetadataFiles(NoFiles):
    """Reads files below the property `warehouse`, of S3 or of a local folder that is allowed.

    A REST catalog answers with the metadata itself, so nothing is ever read for one: its warehouse
    may be a name, which no file is below.
    """

    def __init__(self, properties: Properties, folders: Sequence[Path] = ()) -> None:
        super().__init__(properties)
        self._folders = folders

    def new_input(self, location: str) -> InputFile:  # type: ignore[override]
        scheme, path = _place(location)
        warehouse = _place(str(self.properties.get("warehouse", "")))
        if scheme != warehouse[0] or not _is_below(path, warehouse[1]):
            raise UnreadableError(
                "the metadata file of the table is not below the connector's warehouse", location
            )
        if scheme == "file":
            return _File(location, allowed_file(Path(path), self._folders).open("rb"))
        if scheme == "s3":
            return _File(location, _object(path, self.properties))
        raise UnreadableError("metadata files are read from S3 and local folders only", location)


class _File(InputFile):
    """The content of a file, unpacked here, for PyIceberg would do so without a bound."""

    def __init__(self, location: str, source: InputStream) -> None:
        plain = location.removesuffix(_PACKED)
        with source:
            content = source.read(LARGEST_FILE + 1)
        if plain != location:
            content = zlib.decompressobj(_GZIP).decompress(content, LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise UnreadableError("the metadata file of the table is too large", location)
        super().__init__(plain)
        self._content = content

    def open(self, seekable: bool = True) -> InputStream:  # noqa: ARG002 (PyIceberg's)
        return io.BytesIO(self._content)

    def exists(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._content)


def allowed_file(path: Path, folders: Sequence[Path]) -> Path:
    """Return where a file really is; raise UnreadableError unless that is an allowed folder."""
    real = path.resolve()
    if not any(real.is_relative_to(folder.resolve()) for folder in folders):
        raise UnreadableError(
            "it keeps local files in a folder that FRAZIL_CATALOG_FOLDERS does not name", str(path)
        )
    if not real.is_file():
        raise UnreadableError("a local file of it does not exist", str(path))
    return real


def _place(location: str) -> tuple[str, str]:
    """Split a location into its kind and its path; the path of S3 begins with the bucket."""
    scheme, colon, rest = location.partition(":")
    if not colon or scheme == "file":
        return "file", "/" + (rest if colon else location).lstrip("/")
    return "s3" if scheme in _S3 else scheme, rest.lstrip("/")


def _is_below(path: str, folder: str) -> bool:
    # What stands in front of a store may take dots away.
    is_plain = not {".", ".."} & {*path.split("/")}
    return is_plain and bool(folder.strip("/")) and path.startswith(folder.rstrip("/") + "/")


def _object(path: str, properties: Properties) -> InputStream:
    if not all(properties.get(name) for name in _KEYS):
        raise UnreadableError("its files in S3 need keys of the connector: " + ", ".join(_KEYS))
    bucket, _, key = path.partition("/")
    found: InputStream = _client(properties).get_object(Bucket=bucket, Key=key)["Body"]
    return found


def _client(properties: Properties) -> boto3.client:
    is_virtual = properties.get("s3.force-virtual-addressing")
    style = {"true": "virtual", "false": "path"}.get(str(is_virtual), "auto")
    return boto3.client(
        "s3",
        endpoint_url=properties.get("s3.endpoint"),
        region_name=properties.get("s3.region") or properties.get("client.region"),
        aws_access_key_id=properties.get("s3.access-key-id"),
        aws_secret_access_key=properties.get("s3.secret-access-key"),
        aws_session_token=properties.get("s3.session-token"),
        config=Config(s3={"addressing_style": style}),
    )
