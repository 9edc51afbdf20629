"""What the control API may be told; the only reader of its environment."""

from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from frazil.runtime.settings import FrazilSettings


class EngineKind(StrEnum):
    PROCESS = "process"
    FAKE = "fake"


class Settings(FrazilSettings):
    """Settings of `python -m frazil.control_api`."""

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=8083, ge=0, le=65535, description="Port to listen on; 0 takes a free one."
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
    engine: EngineKind = Field(
        default=EngineKind.PROCESS,
        description="Where workers live: process, or fake (in memory, for trials of the API).",
    )
    database_url: str | None = Field(
        default=None,
        description="Where connectors are stored; by default SQLite in the home folder.",
    )
    run_folder: Path | None = Field(
        default=None,
        description="Root of the workers' run folders; by default in the home folder.",
    )
    reconcilers: int = Field(default=4, ge=1, description="Connectors looked at side by side.")
    max_failures: int = Field(
        default=5, ge=1, description="Failures in a row without progress until a person is asked."
    )
    stop_workers_on_exit: bool = Field(
        default=False, description="End all workers when the control API ends."
    )

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.home / 'control-api' / 'connectors.db'}"

    @property
    def run_root(self) -> Path:
        return self.run_folder or self.home / "control-api" / "runs"

    @model_validator(mode="after")
    def _refuse_strangers(self) -> Self:
        if not self.allow_remote and not _is_loopback(self.host):
            message = (
                f"listening on {self.host} lets anybody steer connectors and read their secrets, "
                "for there is no authentication; FRAZIL_ALLOW_REMOTE=true allows it"
            )
            raise ValueError(message)
        return self


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
