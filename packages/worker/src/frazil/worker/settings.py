"""Settings of a worker process; everything about its connector is in the assignment instead."""

from enum import StrEnum

from pydantic import AliasChoices, Field

from frazil.runtime.settings import FrazilSettings, Names


class ArchiveMode(StrEnum):
    USE = "use"
    TRAIN = "train"
    OFF = "off"


class WorkerSettings(FrazilSettings):
    archive: ArchiveMode = Field(
        default=ArchiveMode.USE,
        description="Class-data archive of the JVM: use it, train (write) it, or do without.",
    )
    oauthbearer_urls: Names = Field(
        default=(),
        description="Addresses from which Kafka clients may get tokens and keys by OAUTHBEARER.",
    )
    probe_host: str = Field(
        default="127.0.0.1", description="Address on which the probes are served."
    )
    probe_port: int = Field(
        default=0, ge=0, le=65535, description="Port of the probes; 0 takes a free one."
    )
    aws_endpoint: str | None = Field(
        default=None,
        validation_alias=AliasChoices("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
        description="Address of S3, where a connector's catalog names none.",
    )
    aws_region: str | None = Field(
        default=None,
        validation_alias="AWS_REGION",
        description="Region of this machine, which clients of S3 take by themselves.",
    )
