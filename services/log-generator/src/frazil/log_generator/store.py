"""The store, by boto3: the one module that knows it."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from frazil.log_generator.errors import StoreUnavailableError
from frazil.log_generator.operations import Call, Operation, Outcome

# Calls are blocking, so this many can be under way at once.
THREADS = 8

_PART_BYTES = 5 * 1024**2  # every part but the last has to have as many
_READ_BYTES = 1024**2
_LISTED = 100
# The one region whose name S3 does not want to hear when a bucket is made.
_UNNAMED_REGION = "us-east-1"
_OURS_ALREADY = "BucketAlreadyOwnedByYou"
_OUTCOMES = {403: Outcome.DENIED, 404: Outcome.MISSING}


@dataclass(frozen=True, slots=True)
class S3Options:
    endpoint: str
    region: str
    access_key: str
    secret_key: str = field(repr=False)

    def client(self, secret_key: str) -> Any:
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=secret_key,
            config=Config(
                s3={"addressing_style": "path"},
                # Threads cannot be stopped: the end of the process waits for these.
                connect_timeout=3,
                read_timeout=5,
                retries={"mode": "standard", "total_max_attempts": 2},
                max_pool_connections=THREADS,
                user_agent_extra="frazil-log-generator",
            ),
        )


class S3Store:
    """Does what a call says; safe to be used by several threads."""

    def __init__(self, options: S3Options) -> None:
        self._region = options.region
        self._client = options.client(options.secret_key)
        self._stranger = options.client(uuid4().hex)
        self._work: Mapping[Operation, Callable[[Call], object]] = {
            Operation.PUT: self._put,
            Operation.GET: self._get,
            Operation.HEAD: lambda call: self._client.head_object(**_place(call)),
            Operation.MULTIPART: self._put_in_parts,
            Operation.LIST: self._list,
            Operation.DELETE: lambda call: self._client.delete_object(**_place(call)),
            Operation.WRONG_CREDENTIALS: lambda call: self._stranger.get_object(**_place(call)),
            Operation.MISSING_KEY: self._get,
            Operation.MISSING_BUCKET: self._list,
        }

    def do(self, call: Call) -> Outcome:
        """Return what the store has said; raises StoreUnavailableError if it says nothing."""
        try:
            self._work[call.operation](call)
        except ClientError as error:
            if _status(error) >= 500:
                raise StoreUnavailableError(_code(error)) from error
            return _OUTCOMES.get(_status(error), Outcome.REFUSED)
        except BotoCoreError as error:
            raise StoreUnavailableError(type(error).__name__) from error
        return Outcome.OK

    def prepare(self, buckets: Iterable[str]) -> None:
        """Make the buckets that are missing; raises StoreUnavailableError if it cannot be done."""
        for bucket in buckets:
            try:
                self._ensure(bucket)
            except ClientError as error:
                raise StoreUnavailableError(f"bucket {bucket}: {_code(error)}") from error
            except BotoCoreError as error:
                raise StoreUnavailableError(type(error).__name__) from error

    def _ensure(self, bucket: str) -> None:
        try:
            self._client.head_bucket(Bucket=bucket)
        except ClientError as error:
            if _status(error) != 404:
                raise
            self._make(bucket)

    def _make(self, bucket: str) -> None:
        place = {"LocationConstraint": self._region}
        extra = {} if self._region == _UNNAMED_REGION else {"CreateBucketConfiguration": place}
        try:
            self._client.create_bucket(Bucket=bucket, **extra)
        except ClientError as error:
            # Another process of ours started at the same moment.
            if _code(error) != _OURS_ALREADY:
                raise

    def _put(self, call: Call) -> None:
        self._client.put_object(**_place(call), Body=os.urandom(call.size))

    def _get(self, call: Call) -> None:
        for _ in self._client.get_object(**_place(call))["Body"].iter_chunks(_READ_BYTES):
            pass

    def _list(self, call: Call) -> None:
        self._client.list_objects_v2(Bucket=call.bucket, MaxKeys=_LISTED)

    def _put_in_parts(self, call: Call) -> None:
        place = _place(call)
        upload = {
            **place,
            "UploadId": self._client.create_multipart_upload(**place)["UploadId"],
        }
        try:
            parts = [
                self._put_part(upload, number, size)
                for number, size in enumerate((_PART_BYTES, call.size), start=1)
            ]
            self._client.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})
        except (BotoCoreError, ClientError):
            # The parts of an upload that nobody ends are kept, and no listing shows them.
            with suppress(BotoCoreError, ClientError):
                self._client.abort_multipart_upload(**upload)
            raise

    def _put_part(self, upload: Mapping[str, str], number: int, size: int) -> dict[str, object]:
        answer = self._client.upload_part(**upload, PartNumber=number, Body=os.urandom(size))
        return {"PartNumber": number, "ETag": answer["ETag"]}


def _place(call: Call) -> dict[str, str]:
    return {"Bucket": call.bucket, "Key": call.key}


def _status(error: ClientError) -> int:
    status: int = error.response["ResponseMetadata"]["HTTPStatusCode"]
    return status


def _code(error: ClientError) -> str:
    code: str = error.response["Error"]["Code"]
    return code
