"""A throw-away S3 server: the MinIO that deploy/airgap/minio.sh has built, or one on the PATH."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
import httpx
from tests.support.ports import free_port

from frazil.runtime.settings import FrazilSettings

REGION = "eu-south-9"
_START_SECONDS = 30
_STOP_SECONDS = 10


@dataclass(frozen=True)
class MinIO:
    """A running server; each test asks it for a bucket of its own."""

    port: int
    region: str = REGION
    access_key: str = field(default_factory=lambda: uuid4().hex)
    secret_key: str = field(default_factory=lambda: uuid4().hex, repr=False)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def settings(self) -> dict[str, str]:
        """Tell a catalog where its store is, in the words of its environment."""
        return {
            "FRAZIL_S3_ENDPOINT": self.endpoint,
            "FRAZIL_S3_REGION": self.region,
            "FRAZIL_S3_ACCESS_KEY": self.access_key,
            "FRAZIL_S3_SECRET_KEY": self.secret_key,
        }

    @property
    def properties(self) -> dict[str, str]:
        """Tell a client the same, in Iceberg's words."""
        return {
            "s3.endpoint": self.endpoint,
            "s3.access-key-id": self.access_key,
            "s3.secret-access-key": self.secret_key,
            "s3.region": self.region,
            "client.region": self.region,
            "s3.path-style-access": "true",
        }

    def client(self, access_key: str = "", secret_key: str = "", token: str | None = None) -> Any:
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id=access_key or self.access_key,
            aws_secret_access_key=secret_key or self.secret_key,
            aws_session_token=token,
        )

    def new_bucket(self) -> str:
        name = f"lake-{uuid4().hex[:10]}"
        # The one region whose name S3 does not want to hear.
        place = {} if self.region == "us-east-1" else {"LocationConstraint": self.region}
        self.client().create_bucket(Bucket=name, CreateBucketConfiguration=place)
        return name

    def keys(self, bucket: str, prefix: str = "") -> list[str]:
        pages = (
            self.client().get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        )
        return [one["Key"] for page in pages for one in page.get("Contents", ())]


def find_program() -> Path | None:
    built = FrazilSettings().home / "bin" / "minio"
    on_path = shutil.which("minio")
    return built if built.exists() else Path(on_path) if on_path else None


@contextmanager
def running(program: Path, folder: Path, region: str = REGION) -> Iterator[MinIO]:
    minio = MinIO(free_port(), region)
    # Not those of the user: it would take his configuration, and ask the world for updates.
    environment = {
        "HOME": str(folder),
        "MINIO_ROOT_USER": minio.access_key,
        "MINIO_ROOT_PASSWORD": minio.secret_key,
        "MINIO_SITE_REGION": region,
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
        "GOMEMLIMIT": "256MiB",
    }
    address = f"127.0.0.1:{minio.port}"
    command = [str(program), "server", "--quiet", "--address", address, str(folder / "data")]
    with (folder / "minio.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        _wait_for(minio, process, folder / "minio.log")
        yield minio
    finally:
        _stop(process)


def _wait_for(minio: MinIO, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{minio.endpoint}/minio/health/ready", trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"MinIO does not start:\n{log.read_text()}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
