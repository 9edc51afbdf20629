"""Metadata files where a catalog keeps them. PyIceberg's own ways would triple the image."""

import io
from pathlib import Path
from typing import NoReturn

import boto3
from botocore.config import Config
from pyiceberg.io import FileIO, InputFile, InputStream
from pyiceberg.typedef import Properties

_S3 = ("s3", "s3a", "s3n")


class MetadataFiles(FileIO):
    """What PyIceberg reads a table's metadata through; nothing is ever written here."""

    def new_input(self, location: str) -> InputFile:
        return _File(location, self.properties)

    def new_output(self, location: str) -> NoReturn:
        raise _only_read(location)

    def delete(self, location: object) -> NoReturn:
        raise _only_read(location)


class _File(InputFile):
    def __init__(self, location: str, properties: Properties) -> None:
        super().__init__(location)
        self._properties = properties

    def open(self, seekable: bool = True) -> InputStream:  # noqa: ARG002 (PyIceberg's)
        return io.BytesIO(self._read())

    def exists(self) -> bool:
        return bool(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def _read(self) -> bytes:
        scheme, colon, rest = self.location.partition(":")
        if not colon or scheme == "file":
            return Path("/", (rest or scheme).lstrip("/")).read_bytes()
        if scheme not in _S3:
            raise ValueError(
                f"The metadata at {self.location} cannot be read from here: files and S3 can."
            )
        bucket, _, key = rest.lstrip("/").partition("/")
        content: bytes = _client(self._properties).get_object(Bucket=bucket, Key=key)["Body"].read()
        return content


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


def _only_read(location: object) -> NotImplementedError:
    return NotImplementedError(f"{location}: tables are only read here")
