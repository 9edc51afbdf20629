"""Credentials for an installation that has none: a token in one file, its hash in another."""

import os
import secrets
from pathlib import Path

from frazil.control_api.core.access import Caller, Role, entry, token_hash
from frazil.runtime.errors import UserError

NAME = "frazil"


class CannotMakeCredentialsError(UserError):
    def __init__(self, error: OSError) -> None:
        super().__init__(
            f"The first credentials cannot be written: {error.filename}: {error.strerror}. "
            "FRAZIL_CREDENTIALS and FRAZIL_TOKEN_FILE name files in folders that this user owns."
        )


def make_credentials(credentials: Path, token_file: Path) -> bool:
    """Make both unless there are credentials; tell whether they were made.

    The token is written first: what was cut off in between is made anew.
    """
    if credentials.exists():
        return False
    token = secrets.token_urlsafe(32)
    try:
        _write(token_file, token)
        _write(credentials, entry(Caller(NAME, Role.WRITE), token=token_hash(token)))
    except OSError as error:
        raise CannotMakeCredentialsError(error) from error
    return True


def _write(path: Path, text: str) -> None:
    """Write a file that its owner alone may read, and that is there whole or not at all."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    new.replace(path)
