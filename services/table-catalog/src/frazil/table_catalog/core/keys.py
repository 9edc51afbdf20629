"""Key pairs and their rights, as a TOML file lists them. Pure: files are read by others."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

from frazil.table_catalog.core.errors import BadKeysFileError, ForbiddenError, Reason
from frazil.table_catalog.core.rights import Action, Grant, Principal

# Given the kind of a reference (`file` or `env`) and its name.
ReadSecret = Callable[[str, str], str]

_SECRETS = {"secret": None, "secret_file": "file", "secret_env": "env"}
_FIELDS = {"read", "write", "admin", *_SECRETS}
_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class Key:
    secret: str = field(repr=False)
    principal: Principal


@dataclass(frozen=True, slots=True)
class Keyring:
    keys: Mapping[str, Key]

    @classmethod
    def parse(cls, text: str, read_secret: ReadSecret) -> Self:
        """Read a file; raises BadKeysFileError, which names the key and no secret."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BadKeysFileError(f"it is not TOML, {_place(error)}") from None
        return cls({key_id: _key(key_id, entry, read_secret) for key_id, entry in document.items()})

    def find(self, key_id: str) -> Key:
        key = self.keys.get(key_id)
        if key is None:
            raise ForbiddenError(f"the access key is not known: {key_id}", Reason.KEY)
        return key


def _place(error: tomllib.TOMLDecodeError) -> str:
    """Say where, and nothing of what stands there: it may be a secret."""
    _, _, place = str(error).rpartition(" (")
    return place.rstrip(")")


def _key(key_id: str, entry: object, read_secret: ReadSecret) -> Key:
    if not isinstance(entry, dict) or entry.keys() - _FIELDS:
        raise BadKeysFileError(f'"{key_id}" has to be a table of {", ".join(sorted(_FIELDS))}')
    admin = entry.get("admin", False)
    if not isinstance(admin, bool):
        raise BadKeysFileError(f'admin of "{key_id}" is neither true nor false')
    grants = (*_grants(key_id, entry, Action.READ), *_grants(key_id, entry, Action.WRITE))
    return Key(_secret(key_id, entry, read_secret), Principal(key_id, grants, admin))


def _secret(key_id: str, entry: Mapping[str, object], read_secret: ReadSecret) -> str:
    match [(kind, value) for name, kind in _SECRETS.items() if (value := entry.get(name))]:
        case [(None, str(secret))]:
            pass
        case [(str(kind), str(name))]:
            secret = read_secret(kind, name)
        case _:
            raise BadKeysFileError(f'"{key_id}" needs one of {", ".join(_SECRETS)}, a text')
    if len(secret) < _SHORTEST:
        raise BadKeysFileError(f'the secret of "{key_id}" has less than {_SHORTEST} characters')
    return secret


def _grants(key_id: str, entry: Mapping[str, object], action: Action) -> tuple[Grant, ...]:
    texts = entry.get(action, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadKeysFileError(f'{action} of "{key_id}" is no list of texts')
    try:
        return tuple(Grant.parse(action, text) for text in texts)
    except ValueError as error:
        raise BadKeysFileError(f'{action} of "{key_id}": {error}') from None
