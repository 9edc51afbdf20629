"""The providers: environment variables, keys of property files, files of a folder.

Only what the settings allow is looked at; by default that is nothing.
"""

import stat
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from frazil.control_api.core.errors import SecretMissingError, SecretRefusedError
from frazil.control_api.core.ports import Reference
from frazil.control_api.core.properties import parse_properties

_LARGEST = 1 << 20


class Providers:
    """`names` are allowed variables, or patterns of them; `folders` are allowed with all below.

    `own` are files and folders of this process, which no reference may name wherever they are.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        names: Sequence[str],
        folders: Sequence[Path],
        own: Sequence[Path] = (),
    ) -> None:
        self._environment = environment
        self._names = tuple(names)
        self._folders = tuple(folders)
        self._own = tuple(own)

    def value(self, reference: Reference) -> str:
        match reference.provider:
            case "env":
                return self._variable(reference)
            case "file":
                return self._property(reference)
            case "dir" | "directory":
                return self._file(reference)
        raise SecretRefusedError(
            f"{reference.text} cannot be resolved, there is no provider {reference.provider}: "
            "write env, file or dir"
        )

    def _variable(self, reference: Reference) -> str:
        name = reference.key
        if reference.path is not None:
            raise SecretRefusedError(f"{reference.text} is not of the form ${{env:NAME}}")
        if not any(fnmatchcase(name, pattern) for pattern in self._names):
            raise SecretRefusedError(
                f"{reference.text} is not allowed: FRAZIL_SECRETS_ENV of the control API does not "
                f"name {name}"
            )
        if name not in self._environment:
            raise _missing(reference, "the control API's environment has no such variable")
        return self._environment[name]

    def _property(self, reference: Reference) -> str:
        path = self._allowed(reference, Path(reference.path or ""))
        properties = parse_properties(_read(reference, path))
        if reference.key not in properties:
            raise _missing(reference, "the file has no such key")
        return properties[reference.key]

    def _file(self, reference: Reference) -> str:
        name = reference.key
        if name in ("", ".", "..") or Path(name).name != name:
            raise SecretRefusedError(f"{reference.text} does not name a file of the folder")
        path = self._allowed(reference, Path(reference.path or "", name))
        # Editors and `echo` end a file with a line's end, which is no part of a password.
        return _read(reference, path).removesuffix("\n").removesuffix("\r")

    def _allowed(self, reference: Reference, path: Path) -> Path:
        """Follow all links first: it is the real place that has to be allowed."""
        if not path.is_absolute() or "\0" in str(path):
            raise SecretRefusedError(f"{reference.text} does not begin its path with a slash")
        try:
            real = path.resolve()
        except (OSError, RuntimeError) as error:
            raise _missing(reference, "its path cannot be followed") from error
        if not any(real.is_relative_to(folder.resolve()) for folder in self._folders):
            raise SecretRefusedError(
                f"{reference.text} is not allowed: it is in no folder that FRAZIL_SECRETS_PATHS "
                "of the control API names"
            )
        if any(real.is_relative_to(one.resolve()) for one in self._own):
            raise SecretRefusedError(
                f"{reference.text} is not allowed: it is the control API's own. Keep secrets of "
                "connectors in a folder of their own"
            )
        return real


def _read(reference: Reference, path: Path) -> str:
    try:
        found = path.stat()
        # A pipe would keep us waiting, and what is very large is no secret.
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            raise _missing(reference, "it is no file of less than a megabyte")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise _missing(reference, f"its file cannot be read, {error.strerror}") from error
    except UnicodeDecodeError:
        # The error itself carries the bytes.
        raise _missing(reference, "its file is not UTF-8") from None


def _missing(reference: Reference, why: str) -> SecretMissingError:
    return SecretMissingError(f"{reference.text} cannot be resolved: {why}")
