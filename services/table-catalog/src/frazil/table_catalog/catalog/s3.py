"""Files in S3, by boto3: PyIceberg's own way would bring PyArrow and 80 MB with it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from frazil.table_catalog.core.errors import NotFoundError, StoreError

_Result = TypeVar("_Result")
# The one region whose name S3 does not want to hear when a bucket is made.
_UNNAMED_REGION = "us-east-1"
_OURS_ALREADY = "BucketAlreadyOwnedByYou"


@dataclass(frozen=True, slots=True)
class S3Options:
    endpoint: str | None
    region: str
    access_key: str | None
    secret_key: str | None = field(repr=False)

    def client(self, service: str, *, endpoint: str | None = None) -> Any:
        return boto3.client(
            service,
            endpoint_url=endpoint or self.endpoint,
            region_name=self.region,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            config=Config(
                s3={"addressing_style": "path"},
                # Given up well before FRAZIL_REQUEST_TIMEOUT: "surely not done" is a better answer.
                connect_timeout=5,
                read_timeout=15,
                retries={"mode": "standard", "total_max_attempts": 2},
                max_pool_connections=40,
            ),
        )


class RefusedError(StoreError):
    """The store has answered, and does not do it."""

    def __init__(self, what: str, error: ClientError) -> None:
        self.code: str = error.response["Error"]["Code"]
        reason = error.response["Error"].get("Message", "")
        super().__init__(f"the store refuses {what}: {self.code}: {reason}")


class S3Store:
    def __init__(self, options: S3Options) -> None:
        self._client = options.client("s3")
        self._region = options.region

    def read(self, location: str, most: int) -> bytes:
        def get() -> bytes:
            with closing(self._client.get_object(**_place(location))["Body"]) as body:
                content: bytes = body.read(most)
            return content

        try:
            return asked(location, get)
        except RefusedError as refusal:
            if refusal.code != "NoSuchKey":
                raise
            raise NotFoundError(f"There is no {location}") from None

    def write_new(self, location: str, content: bytes) -> None:
        put = partial(self._client.put_object, **_place(location), Body=content)
        try:
            asked(location, partial(put, IfNoneMatch="*"))
        except RefusedError as refusal:
            match refusal.code:
                case "PreconditionFailed" if self.read(location, len(content) + 1) == content:
                    # We have put it there ourselves, and the answer to that was lost.
                    return
                case "NotImplemented":
                    # A store without conditions. Names are new ones all the same.
                    asked(location, put)
                case _:
                    raise

    def delete(self, location: str) -> None:
        asked(location, partial(self._client.delete_object, **_place(location)))

    def check(self, location: str) -> None:
        # Not HeadBucket: an answer without a body does not say why it is a refusal.
        place = {"Bucket": _place(location)["Bucket"], "Prefix": _place(location)["Key"]}
        asked(location, partial(self._client.list_objects_v2, **place, MaxKeys=1))

    def prepare(self, location: str) -> None:
        try:
            self.check(location)
        except RefusedError as refusal:
            if refusal.code != "NoSuchBucket":
                raise
            self._make_bucket(urlsplit(location).netloc)

    def _make_bucket(self, name: str) -> None:
        make = partial(self._client.create_bucket, Bucket=name)
        if self._region != _UNNAMED_REGION:
            make = partial(make, CreateBucketConfiguration={"LocationConstraint": self._region})
        try:
            asked(f"to make the bucket {name}", make)
        except RefusedError as refusal:
            # Another process of ours started at the same moment.
            if refusal.code != _OURS_ALREADY:
                raise


def _place(location: str) -> dict[str, Any]:
    _, _, rest = location.partition("://")
    bucket, _, key = rest.partition("/")
    return {"Bucket": bucket, "Key": key}


def asked(what: str, call: Callable[[], _Result]) -> _Result:
    """Make a call to the store; raises RefusedError, or StoreError if it cannot be asked."""
    try:
        return call()
    except ClientError as error:
        raise RefusedError(what, error) from error
    except BotoCoreError as error:
        raise StoreError(f"the store cannot be asked for {what}: {error}") from error
