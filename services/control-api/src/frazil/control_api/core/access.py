"""Who may call and what they may do. Pure: reading files and requests is left to others."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from frazil.control_api.core.errors import BadCredentialsFileError

_VALIDATE = re.compile(r"/connector-plugins/[^/]+/config/validate")
_READING = ("GET", "HEAD", "OPTIONS")


class Role(StrEnum):
    READ = "read"
    WRITE = "write"

    def covers(self, needed: "Role") -> bool:
        return self is Role.WRITE or needed is Role.READ


def needed_role(method: str, path: str) -> Role | None:
    """Tell what a call needs; None: it is open to strangers. To validate changes nothing."""
    if path == "/health" and method in _READING:
        return None
    validates = method == "PUT" and _VALIDATE.fullmatch(path)
    return Role.READ if method in _READING or validates else Role.WRITE


@dataclass(frozen=True, slots=True)
class Caller:
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class PasswordHash:
    """scrypt's, spelled `scrypt:n:r:p:salt:key` with the last two in base64."""

    n: int
    r: int
    p: int
    salt: bytes
    key: bytes

    @classmethod
    def of(cls, password: str, salt: bytes) -> Self:
        """Hash at the cost that is advised against guessing today: a tenth of a second or two."""
        n, r, p = 2**14, 8, 5
        return cls(n, r, p, salt, _scrypt(password, salt, n=n, r=r, p=p))

    @classmethod
    def parse(cls, text: str) -> Self:
        kind, n, r, p, salt, key = text.split(":")
        if kind != "scrypt":
            raise ValueError(kind)
        return cls(int(n), int(r), int(p), base64.b64decode(salt), base64.b64decode(key))

    def fits(self, password: str) -> bool:
        key = _scrypt(password, self.salt, n=self.n, r=self.r, p=self.p)
        return hmac.compare_digest(key, self.key)

    def __str__(self) -> str:
        salt, key = (base64.b64encode(part).decode() for part in (self.salt, self.key))
        return f"scrypt:{self.n}:{self.r}:{self.p}:{salt}:{key}"


# Guessing at a name that nobody has takes as long as at one that somebody has.
_NOBODY = PasswordHash(2**14, 8, 5, bytes(16), bytes(64))


def token_hash(token: str) -> str:
    """Tokens are long and random, so that nobody can guess what was hashed."""
    return f"sha256:{hashlib.sha256(token.encode()).hexdigest()}"


def entry(caller: Caller, **proof: str) -> str:
    """Write the lines of a credentials file for one caller."""
    # A JSON string is a TOML string too.
    lines = [f"[{json.dumps(caller.name)}]", f'role = "{caller.role}"']
    return "\n".join([*lines, *(f'{kind} = "{text}"' for kind, text in proof.items()), ""])


def is_password(authorization: str) -> bool:
    """Tell whether a header shows a password, which takes its time to check."""
    return authorization.partition(" ")[0].lower() == "basic"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Callers by what they show; a caller may have a password, a token or both."""

    passwords: Mapping[str, tuple[Caller, PasswordHash]] = field(repr=False)
    tokens: Mapping[str, Caller] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a file; raises BadCredentialsFileError, which names the caller and no hash."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BadCredentialsFileError(f"it is not TOML, {error}") from None
        passwords, tokens = {}, {}
        for name, fields in document.items():
            caller, password, token = _read_entry(name, fields)
            if password is not None:
                passwords[name] = (caller, password)
            if token is not None:
                tokens[token] = caller
        return cls(passwords, tokens)

    def caller(self, authorization: str) -> Caller | None:
        """Find who sends this header; a password takes its time, right or wrong."""
        scheme, _, shown = authorization.partition(" ")
        match scheme.lower():
            case "basic":
                return self._by_password(shown.strip())
            case "bearer":
                return self._by_token(shown.strip())
        return None

    def _by_password(self, shown: str) -> Caller | None:
        try:
            name, colon, password = base64.b64decode(shown, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        caller, expected = self.passwords.get(name, (None, _NOBODY))
        return caller if expected.fits(password) and colon else None

    def _by_token(self, shown: str) -> Caller | None:
        found, shown_hash = None, token_hash(shown)
        # To the end always: when it takes less time tells nothing.
        for expected, caller in self.tokens.items():
            if hmac.compare_digest(expected, shown_hash):
                found = caller
        return found


def _read_entry(name: str, fields: object) -> tuple[Caller, PasswordHash | None, str | None]:
    if not isinstance(fields, dict) or fields.keys() - {"role", "password", "token"}:
        raise BadCredentialsFileError(
            f'"{name}" has to be a table with a role, and a password or a token'
        )
    try:
        caller = Caller(name, Role(fields["role"]))
    except (KeyError, ValueError):
        raise BadCredentialsFileError(f'the role of "{name}" is neither read nor write') from None
    password, token = fields.get("password"), fields.get("token")
    if password is None and token is None:
        raise BadCredentialsFileError(f'"{name}" has neither a password nor a token')
    if token is not None and not re.fullmatch("sha256:[0-9a-f]{64}", str(token)):
        raise BadCredentialsFileError(f'the token of "{name}" is no hash of one')
    try:
        return caller, None if password is None else PasswordHash.parse(password), token
    except (ValueError, AttributeError):
        raise BadCredentialsFileError(f'the password of "{name}" is no hash of one') from None


def _scrypt(password: str, salt: bytes, *, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, maxmem=256 * 1024 * 1024)
