"""The file of keys: refused if others can read it; secrets may be elsewhere."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from frazil.runtime.settings import SECRETS
from frazil.runtime.watched_file import WatchedFile
from frazil.table_catalog.core.errors import BadKeysFileError
from frazil.table_catalog.core.keys import Keyring

_OTHERS = 0o077

KeyFile = WatchedFile[Keyring]


def open_keys(file: Path, environment: Mapping[str, str]) -> KeyFile:
    """Raise BadKeysFileError if the file cannot be used."""
    read_secret = partial(_read_secret, file.parent, environment)

    def parse(text: str) -> Keyring:
        # What an engine puts there is readable in that container, and there alone.
        if file.parent != SECRETS and file.stat().st_mode & _OTHERS:
            raise BadKeysFileError("others may read it: `chmod 600` it")
        return Keyring.parse(text, read_secret)

    return KeyFile(file, parse, called="keys", error=BadKeysFileError)


def _read_secret(folder: Path, environment: Mapping[str, str], kind: str, name: str) -> str:
    if kind == "env":
        if name not in environment:
            raise BadKeysFileError(f"there is no variable {name}")
        return environment[name]
    try:
        # Relative to the file of keys; editors and `echo` leave a line's end behind.
        return (folder / name).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError):
        raise BadKeysFileError(f"the secret file {name} cannot be read") from None
