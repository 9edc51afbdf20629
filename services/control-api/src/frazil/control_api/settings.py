"""What the control API may be told; the only reader of its environment."""

import os
from collections.abc import Iterable
from enum import StrEnum
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Self

from pydantic import Field, FilePath, field_validator, model_validator

from frazil.contracts.plugins import OverridePolicy
from frazil.control_api.core.header_rules import HeaderRule, parse_header_rules
from frazil.control_api.docker_settings import DockerSettings
from frazil.control_api.engine.docker_spec import DockerOptions
from frazil.runtime.http_settings import HttpSettings, is_loopback
from frazil.runtime.settings import SECRETS, AbsolutePath, Folders, FrazilSettings, Names
from frazil.runtime.web_pages import names_of_this_machine

_DATABASE_URL = "FRAZIL_DATABASE_URL"
# What Python, Java and a worker's own settings need.
_INHERITED = (
    "FRAZIL_ARCHIVE",
    "FRAZIL_HOME",
    "FRAZIL_JAVA_HOME",
    "FRAZIL_LOG_FORMAT",
    "FRAZIL_LOG_LEVEL",
    "FRAZIL_OAUTHBEARER_URLS",
    "FRAZIL_PROBE_*",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LC_*",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONPATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
)
# Where the client of S3 would look up an identity by itself, which is not the connector's.
_NO_IDENTITY = {
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}


class EngineKind(StrEnum):
    PROCESS = "process"
    DOCKER = "docker"
    FAKE = "fake"


class FirstCredentials(FrazilSettings):
    """Where credentials are made, before the other settings are read."""

    credentials: AbsolutePath | None = None
    token_file: AbsolutePath | None = None


class Settings(DockerSettings, HttpSettings):
    """Settings of `python -m frazil.control_api`."""

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=8083, ge=0, le=65535, description="Port to listen on; 0 takes a free one."
    )
    advertised_host: str | None = Field(
        default=None, description="Host in the worker_id that clients see, if not the one above."
    )
    advertised_port: int | None = Field(
        default=None, description="Port in the worker_id that clients see, if not the one above."
    )
    credentials: FilePath | None = Field(
        default=None, description="File of those who may call; without it nobody is asked."
    )
    token_file: AbsolutePath | None = Field(
        default=None,
        description="File for a token with the role `write`, which is made at the first start "
        "together with the file of credentials.",
    )
    open_to_host: bool = Field(
        default=False,
        description="In a container whose port is published on loopback: let requests through that "
        "port in without credentials.",
    )
    published_on: str | None = Field(
        default=None,
        description="Address of the host at which this container's port is published.",
    )
    allow_remote: bool = Field(
        default=False,
        description="Listen beyond loopback although callers are not authenticated.",
    )
    bootstrap_servers: str = Field(
        default="127.0.0.1:9092", description="The Kafka cluster that connectors work with."
    )
    kafka_properties: Path | None = Field(
        default=None, description="A file of further Kafka client properties for workers."
    )
    offset_storage_topic: str = Field(
        default="connect-offsets",
        min_length=1,
        description="Topic of the sources' offsets, made when a source is first told where to be.",
    )
    engine: EngineKind = Field(
        default=EngineKind.PROCESS,
        description="Where workers live: process, docker, or fake (in memory, for trials of the "
        "API).",
    )
    database_url: str | None = Field(
        default=None,
        description="Where connectors are stored; by default SQLite in the home folder.",
    )
    run_folder: Path | None = Field(
        default=None,
        description="Root of the workers' run folders; by default in the home folder.",
    )
    client_config_override_policy: OverridePolicy = Field(
        default=OverridePolicy.ALL,
        description="Which settings of its Kafka clients a connector may choose: All, None, or "
        "Principal (security.protocol, sasl.mechanism, sasl.jaas.config).",
    )
    files_folder: Path | None = Field(
        default=None,
        description="Folder of the files of FileStream connectors, which read and write there as "
        "the worker's user; without it there are no such classes.",
    )
    files_anywhere: bool = Field(
        default=False,
        description="Let FileStream connectors name files outside of that folder, too: whatever "
        "the worker's user may read or write.",
    )
    spark_keys: Names = Field(
        default=(),
        description="Settings of Spark that connectors may choose although they load classes, open "
        "ports or reach files: names or patterns such as `spark.driver.*`, separated by commas.",
    )
    worker_env: Names = Field(
        default=(),
        description="Further variables that workers of the engine `process` inherit: names or "
        "patterns such as `HTTPS_PROXY` or `AWS_*`, separated by commas. Connectors then act by "
        "what these hold.",
    )
    worker_groups: Names = Field(
        default=(),
        description="Groups that connectors may join by `frazil.worker.group`, and so share a "
        "driver with all it holds: names or patterns such as `team-*`, separated by commas; `*` "
        "for any.",
    )
    secrets_env: Names = Field(
        default=(),
        description="Variables that `${env:NAME}` may name: names or patterns such as `DB_*`, "
        "separated by commas.",
    )
    secrets_paths: Folders = Field(
        default=(),
        description="Folders in which `${file:/path:key}` and `${dir:/path:key}` may look, "
        "separated by commas.",
    )
    catalog_hosts: Names = Field(
        default=("*",),
        description="Hosts of catalogs and stores that connectors may name when their tables are "
        "read from here: `host`, `host:port`, addresses or patterns, with commas. This machine is "
        "meant by its names alone, such as `*,localhost`, and never by `*`.",
    )
    catalog_folders: Folders = Field(
        default=(),
        description="Local folders whose tables and SQLite catalogs may be read from here, "
        "separated by commas.",
    )
    table_reader: Path | None = Field(
        default=None,
        description="Socket of `python -m frazil.control_api.tables serve SOCKET`, which then "
        "reads tables; without it a child process does.",
    )
    reconcilers: int = Field(default=16, ge=1, description="Connectors looked at side by side.")
    max_failures: int = Field(
        default=5, ge=1, description="Failures in a row without progress until a person is asked."
    )
    max_connectors: int = Field(
        default=5000, ge=1, description="Connectors that there may be at once."
    )
    max_tasks: int = Field(
        default=256, ge=1, description="Most tasks, and so cores, that a connector may have."
    )
    max_driver_memory: str = Field(
        default="64g",
        pattern="^[1-9][0-9]*[mg]$",
        description="Most heap that a connector's driver may have, such as `4g`.",
    )
    waiting_workers: int = Field(
        default=0,
        ge=0,
        description="Workers that wait for a connector, their driver started: it then has its "
        "first row in half the time, if it leaves `frazil.driver.memory` alone. Each takes the "
        "memory of one.",
    )
    stop_workers_on_exit: bool = Field(
        default=False, description="End all workers when the control API ends."
    )
    topic_tracking: bool = Field(
        default=True, description="Answer which topics a connector has read."
    )
    topic_tracking_reset: bool = Field(
        default=True, description="Let callers reset the list of topics of a connector."
    )
    admin: bool = Field(default=True, description="Serve `/admin/loggers`.")
    access_control_allow_origin: str = Field(
        default="",
        description="Origins that browsers may call from: `*`, origins, patterns, with commas.",
    )
    access_control_allow_methods: str = Field(
        default="", description="Methods that such callers may use; GET, HEAD and POST if not set."
    )
    response_http_headers: str = Field(
        default="",
        description="Headers for every answer, such as `set X-Frame-Options: DENY`, with commas.",
    )
    request_timeout: float = Field(
        default=90.0, gt=0, description="Seconds until a request without an answer is given up."
    )

    @property
    def header_rules(self) -> tuple[HeaderRule, ...]:
        return parse_header_rules(self.response_http_headers)

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.home / 'control-api' / 'connectors.db'}"

    @property
    def run_root(self) -> Path:
        return self.run_folder or self.home / "control-api" / "runs"

    @property
    def docker_options(self) -> DockerOptions:
        return self.docker_options_of(self.instance or _digest(self.database.rpartition("@")[2]))

    @property
    def knows_callers(self) -> bool:
        return self.credentials is not None or self.tls_client_ca is not None

    @property
    def own_hosts(self) -> tuple[str, ...]:
        """Names by which this server may be called."""
        own = (self.host, self.advertised_host or self.host, *names_of_this_machine())
        return (*own, *self.allowed_hosts)

    @property
    def is_open_to_host(self) -> bool:
        """Only where nobody else than the host itself can reach the published port."""
        return self.open_to_host and is_loopback(self.published_on or "")

    @property
    def is_plain_beyond_loopback(self) -> bool:
        """Whether others in the network see what callers send."""
        reached_at = (self.host, self.published_on or self.host)
        return self.tls_certificate is None and not any(map(is_loopback, reached_at))

    @property
    def asks_all_callers(self) -> bool:
        """Whether each caller shows who it is; a web page on an open host does not."""
        return self.knows_callers and not self.is_open_to_host

    @property
    def worker_id(self) -> str:
        return f"{self.advertised_host or self.host}:{self.advertised_port or self.port}"

    @property
    def own_files(self) -> tuple[Path, ...]:
        """What no connector may read: settings that are secrets, the database, assignments."""
        named = (self.credentials, self.token_file, self.tls_key, self.kafka_properties)
        settings = (one for one in SECRETS.glob("*") if one.name.lower().startswith("frazil_"))
        kind, _, path = self.database.partition(":///")
        databases = (Path(path),) if kind.startswith("sqlite") else ()
        return (*filter(None, named), *settings, *databases, self.run_root)

    @property
    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    @property
    def worker_environment(self) -> dict[str, str]:
        """What workers inherit: no identity, and nothing of what only assignments may carry."""
        listed = (*_INHERITED, *self.worker_env)
        inherited = {
            name: value
            for name, value in self.environment.items()
            if _matches(name, listed) and not _matches(name, (*self.secrets_env, _DATABASE_URL))
        }
        unlisted = {n: v for n, v in _NO_IDENTITY.items() if not _matches(n, self.worker_env)}
        return {**inherited, **unlisted}

    @field_validator("response_http_headers")
    @classmethod
    def _check_rules(cls, text: str) -> str:
        parse_header_rules(text)
        return text

    @model_validator(mode="after")
    def _refuse_strangers(self) -> Self:
        if not (self.knows_callers or self.allow_remote or is_loopback(self.host)):
            message = (
                f"listening on {self.host} lets anybody steer connectors and read their secrets, "
                "for there is no authentication: set FRAZIL_CREDENTIALS to a file of those who may "
                "call; FRAZIL_ALLOW_REMOTE=true allows it to all"
            )
            raise ValueError(message)
        return self


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]
