"""The token that a client shows to a server of Kafka Connect's REST API, kept in a file."""

from collections.abc import Mapping
from pathlib import Path

from frazil.runtime.errors import UserError


class CannotReadTokenError(UserError):
    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(
            f"The token in {file} (FRAZIL_CONNECT_TOKEN_FILE) cannot be used: {reason}."
        )


def bearer(token: str) -> Mapping[str, str]:
    """Return the header that shows a token."""
    return {"Authorization": f"Bearer {token}"}


def bearer_from(file: Path | None) -> Mapping[str, str]:
    """Return the header that shows the token of a file; none without a file.

    Raises CannotReadTokenError.
    """
    if file is None:
        return {}
    try:
        token = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotReadTokenError(file, getattr(error, "strerror", None) or "no text") from None
    if not token.isprintable() or not token:
        raise CannotReadTokenError(file, "it is empty, or more than a line")
    return bearer(token)
