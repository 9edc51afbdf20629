"""OAuth2's client credentials: a key pair is exchanged for a bearer token. Pure."""

import base64
import binascii
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote_plus

from frazil.table_catalog.core.errors import OAuthError
from frazil.table_catalog.core.keys import Keyring
from frazil.table_catalog.core.tokens import issue


@dataclass(frozen=True, slots=True)
class Counter:
    """Where tokens are handed out, and for how long."""

    keyring: Keyring
    seconds: int

    def token(self, body: bytes, authorization: str | None, *, now: float) -> str:
        """Take a form of `grant_type=client_credentials`; the pair in it or by basic."""
        form = dict(parse_qsl(body.decode("utf-8", "replace")))
        if form.get("grant_type") != "client_credentials":
            raise OAuthError(
                "unsupported_grant_type", "the only grant_type here is client_credentials"
            )
        key_id, secret = _basic(authorization) or _pair(form)
        key = self.keyring.keys.get(key_id)
        known = key.secret if key is not None else ""
        if not hmac.compare_digest(known.encode(), secret.encode()) or key is None:
            raise OAuthError("invalid_client", "the access key or its secret is wrong")
        return issue(key_id, key, expires=int(now) + self.seconds)


def _pair(form: Mapping[str, str]) -> tuple[str, str]:
    return form.get("client_id", ""), form.get("client_secret", "")


def _basic(authorization: str | None) -> tuple[str, str] | None:
    scheme, _, shown = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        key_id, _, secret = base64.b64decode(shown.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise OAuthError("invalid_client", "the Authorization header is no basic one") from None
    return unquote_plus(key_id), unquote_plus(secret)
