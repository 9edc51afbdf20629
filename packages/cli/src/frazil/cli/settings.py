"""What the `frazil` command may be told, and the environment that its children get."""

import os
from pathlib import Path

from pydantic import Field, ValidationError

from frazil.runtime.errors import UserError
from frazil.runtime.settings import FrazilSettings

_REPOSITORY = Path(__file__).resolve().parents[5]


class BadSettingError(UserError):
    def __init__(self, error: ValidationError) -> None:
        faults = (
            f"FRAZIL_{fault['loc'][0]}".upper() + f": {fault['msg']}." for fault in error.errors()
        )
        super().__init__("\n".join(faults))


class CliSettings(FrazilSettings):
    port: int = Field(default=8083, description="Port of the control API.")
    kafka_port: int = Field(default=9092, description="Port of the local broker.")
    kafka_controller_port: int = Field(default=9093, description="The broker's own second port.")
    catalog_port: int = Field(default=9100, description="Port of the local table catalog.")
    desired_state: Path = Field(
        default=_REPOSITORY / "deploy" / "local" / "desired-state.yaml",
        description="Topics, tables and connectors of the local stack.",
    )

    def environment(self) -> dict[str, str]:
        """Return what a child inherits; the home is spelled out, so that all agree on it."""
        return {**os.environ, "FRAZIL_HOME": str(self.home)}


def read_settings() -> CliSettings:
    """Raise BadSettingError for a variable that makes no sense."""
    try:
        return CliSettings()
    except ValidationError as error:
        raise BadSettingError(error) from error
