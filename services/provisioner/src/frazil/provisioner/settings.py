"""What the provisioner may be told by its environment."""

import os
from collections.abc import Mapping

from pydantic import Field

from frazil.runtime.settings import FrazilSettings


class ProvisionerSettings(FrazilSettings):
    timeout_seconds: float = Field(
        default=10.0, gt=0, description="How long a system may take to answer."
    )


def environment() -> Mapping[str, str]:
    """Return values for `${NAME}` in the file: variables of that very name."""
    return os.environ
