"""What the generator may be told by its environment; the command line wins."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

from frazil.contracts.log_topics import LogTopics, Topic
from frazil.log_generator.operations import Operation
from frazil.log_generator.store import S3Options
from frazil.log_generator.topics import topics_of
from frazil.log_generator.weights import read_mix, read_sizes
from frazil.runtime.settings import FrazilSettings, Names

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_MIX = (
    "put:25,get:40,head:12,list:8,delete:8,multipart:1,"
    "wrong-credentials:2,missing-key:3,missing-bucket:1"
)
_SIZES = "4k:80,256k:18,6m:2"


def _from_text(read: Callable[[str], object]) -> BeforeValidator:
    return BeforeValidator(lambda value: read(value) if isinstance(value, str) else value)


def _read_topics(text: str) -> list[Topic]:
    words = filter(None, map(str.strip, text.split(",")))
    return [topic for word in words for topic in topics_of(word)]


class GeneratorSettings(LogTopics, FrazilSettings):
    """Settings of every command."""

    bootstrap_servers: str = Field(
        default="127.0.0.1:9092", description="Kafka brokers, as host:port, comma separated."
    )


class DriveSettings(GeneratorSettings):
    """Settings of `drive`."""

    s3_endpoint: str | None = Field(
        default=None, pattern="^https?://[^/]", description="Address of the S3 store."
    )
    s3_access_key: str | None = Field(default=None, description="Access key of the S3 store.")
    s3_secret_key: SecretStr | None = Field(default=None, description="Its secret.")
    s3_region: str = Field(default="us-east-1", description="Region of the S3 store.")
    s3_buckets: Names = Field(
        default=("frazil-reports", "frazil-media"),
        min_length=1,
        description="Buckets to work in, separated by commas; made if missing.",
    )
    s3_rate: float = Field(
        default=2.0, ge=0, le=1000, description="Operations a second; 0 for none at all."
    )
    s3_mix: Annotated[Mapping[Operation, int], NoDecode, _from_text(read_mix)] = Field(
        default_factory=lambda: read_mix(_MIX), description="Weights of the operations."
    )
    s3_sizes: Annotated[Mapping[int, int], NoDecode, _from_text(read_sizes)] = Field(
        default_factory=lambda: read_sizes(_SIZES), description="Weights of the sizes of objects."
    )
    records_topics: Annotated[tuple[Topic, ...], NoDecode, _from_text(_read_topics)] = Field(
        default=(Topic.ERROR, Topic.AUDIT),
        description="Logs to produce records of, by their usual names, separated by commas.",
    )
    records_rate: float = Field(
        default=1.0,
        ge=0,
        le=100_000,
        description="Records a second and topic; 0 for none at all.",
    )

    @property
    def store(self) -> S3Options | None:
        """Return None if there is nothing to do there, or no way to."""
        if not (self.s3_rate and self.s3_endpoint and self.s3_access_key and self.s3_secret_key):
            return None
        return S3Options(
            self.s3_endpoint,
            self.s3_region,
            self.s3_access_key,
            self.s3_secret_key.get_secret_value(),
        )

    @property
    def topics(self) -> tuple[Topic, ...]:
        return tuple(dict.fromkeys(self.records_topics)) if self.records_rate else ()

    @field_validator("s3_buckets")
    @classmethod
    def _refuse_bad_buckets(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if not _BUCKET.fullmatch(name):
                raise ValueError(
                    f"{name!r} is no name of a bucket: 3 to 63 lower-case letters, digits, "
                    "dots and hyphens, with a letter or digit at both ends"
                )
        return names

    @model_validator(mode="after")
    def _refuse_nothing_to_do(self) -> Self:
        if not (self.s3_rate or self.records_rate):
            raise ValueError(
                "nothing would be done: set FRAZIL_S3_RATE or FRAZIL_RECORDS_RATE to more than 0"
            )
        if self.s3_rate and self.store is None:
            raise ValueError(
                "operations need FRAZIL_S3_ENDPOINT, FRAZIL_S3_ACCESS_KEY and "
                "FRAZIL_S3_SECRET_KEY; FRAZIL_S3_RATE=0 does without a store"
            )
        return self
