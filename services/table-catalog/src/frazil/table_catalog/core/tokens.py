"""Bearer tokens: a key's name and an end, signed with the key's own secret. Pure.

Every process that has the keys knows them, and who changes a secret ends the tokens made with it.
"""

import base64
import binascii
import hmac
import json

from frazil.table_catalog.core.errors import NotAuthorizedError
from frazil.table_catalog.core.keys import Key, Keyring

# Sets these apart from whatever else is signed with the same secret.
_PURPOSE = b"frazil bearer token\n"


def issue(key_id: str, key: Key, *, expires: int) -> str:
    payload = _text(json.dumps([key_id, expires]).encode())
    return f"{payload}.{_signature(key.secret, payload)}"


def find_bearer(token: str, keyring: Keyring, *, now: float) -> Key:
    """Find whose token it is; what is wrong with one that is not is nobody's to know."""
    try:
        payload, signature = token.split(".")
        key_id, expires = json.loads(base64.b64decode(payload, b"-_", validate=True))
        key = keyring.keys[key_id]
    except (ValueError, binascii.Error, KeyError, TypeError):
        raise NotAuthorizedError("the token is not one of ours") from None
    if not hmac.compare_digest(signature.encode(), _signature(key.secret, payload).encode()):
        raise NotAuthorizedError("the token is not one of ours")
    if now >= expires:
        raise NotAuthorizedError("the token has expired")
    return key


def _signature(secret: str, payload: str) -> str:
    """Sign the letters, not what they stand for: several spellings may stand for the same."""
    return _text(hmac.digest(secret.encode(), _PURPOSE + payload.encode(), "sha256"))


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()
