"""The lock of the jars, in `sha256sum`'s format, and what differs between it and a folder."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from frazil.runtime.errors import UserError

LOCK_FILE = Path(__file__).parent / "jars.sha256"

Sums = Mapping[str, str]
"""Name with its folder (`spark/x.jar`) to sha256 in hexadecimal."""


class JarMismatchError(UserError):
    def __init__(self, differences: list[str]) -> None:
        listed = "\n  ".join(differences)
        super().__init__(
            f"The jars are not those of the lock:\n  {listed}\n"
            "Nothing was installed. Try again in case a download was cut short; if it stays, "
            "the registry serves other files than before, and somebody has to find out why."
        )


def parse(text: str) -> Sums:
    lines = (line.split(maxsplit=1) for line in text.splitlines() if line.strip())
    return {name.lstrip("*"): digest for digest, name in lines}


def render(sums: Sums) -> str:
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))


def differences(*, locked: Sums, found: Sums) -> list[str]:
    """Say for each file what is wrong with it; nothing when the folder is as locked."""
    missing = [f"{name} is missing" for name in sorted(locked.keys() - found.keys())]
    extra = [f"{name} is not in the lock" for name in sorted(found.keys() - locked.keys())]
    wrong = [
        f"{name} has sha256 {found[name]}, locked is {locked[name]}"
        for name in sorted(locked.keys() & found.keys())
        if locked[name] != found[name]
    ]
    return missing + extra + wrong


def measure(folder: Path) -> Sums:
    """Sum every file below the folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _sha256(path) for path in files}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
