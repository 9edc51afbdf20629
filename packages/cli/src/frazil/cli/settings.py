"""What the `frazil` command may be told, and the environment that its children get."""

import os
from pathlib import Path

from pydantic import Field

from frazil.runtime.settings import FrazilSettings

_REPOSITORY = Path(__file__).resolve().parents[5]


class CliSettings(FrazilSettings):
    port: int = Field(default=8083, description="Port of the control API.")
    kafka_port: int = Field(default=9092, description="Port of the local broker.")
    kafka_controller_port: int = Field(default=9093, description="The broker's own second port.")
    desired_state: Path = Field(
        default=_REPOSITORY / "deploy" / "local" / "desired-state.yaml",
        description="Topics, tables and connectors of the local stack.",
    )

    def environment(self) -> dict[str, str]:
        """Return what a child inherits; the home is spelled out, so that all agree on it."""
        return {**os.environ, "FRAZIL_HOME": str(self.home)}
