"""Callers for tests, with passwords that are cheap to check, and the headers that they send."""

import base64
import hashlib

from frazil.control_api.core.access import Caller, PasswordHash, Role, entry, token_hash

PASSWORD = "tr0ub4dor&3: ü"  # noqa: S105
TOKEN = "a-long-and-random-token"  # noqa: S105


def cheap_hash(password: str) -> str:
    salt = b"salt"
    key = hashlib.scrypt(password.encode(), salt=salt, n=2, r=1, p=1)
    return str(PasswordHash(2, 1, 1, salt, key))


CREDENTIALS = "".join(
    [
        entry(Caller("writer", Role.WRITE), password=cheap_hash(PASSWORD)),
        entry(Caller("reader", Role.READ), password=cheap_hash("other"), token=token_hash(TOKEN)),
    ]
)


def basic(name: str, password: str) -> dict[str, str]:
    shown = base64.b64encode(f"{name}:{password}".encode()).decode()
    return {"Authorization": f"Basic {shown}"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


WRITER = basic("writer", PASSWORD)
READER = bearer(TOKEN)
