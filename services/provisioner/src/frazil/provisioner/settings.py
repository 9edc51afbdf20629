"""What the provisioner may be told by its environment."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, HttpUrl

from frazil.runtime.settings import FrazilSettings


class ProvisionerSettings(FrazilSettings):
    timeout_seconds: float = Field(
        default=10.0, gt=0, description="How long a system may take to answer."
    )
    connect_token_file: Path | None = Field(
        default=None, description="File with the token that Kafka Connect's REST API asks for."
    )
    connect_token_url: HttpUrl | None = Field(
        default=None,
        description="The server that this token is for; no other is shown it. If not set, the "
        "server of the file.",
    )
    wait_seconds: float = Field(
        default=0.0,
        ge=0,
        description="How long `apply` waits for a system that does not answer yet, and then for "
        "its connectors to run; at 0 for neither.",
    )


def environment() -> Mapping[str, str]:
    """Return values for `${NAME}` in the file: variables of that very name."""
    return os.environ
