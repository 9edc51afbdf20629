"""The environment of a child process that a test starts."""

import os


def environment(**settings: str) -> dict[str, str]:
    """Return our own, but of the house's variables none except those given."""
    inherited = os.environ.items()  # noqa: TID251 (the environment of a child process)
    return {key: value for key, value in inherited if not key.startswith("FRAZIL_")} | settings
