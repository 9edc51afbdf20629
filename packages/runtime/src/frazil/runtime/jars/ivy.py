"""Runs the Ivy that PySpark carries: Maven's registry without Maven."""

import subprocess
from collections import deque
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from frazil.runtime.errors import UserError
from frazil.runtime.jars.trust import trust_flags

_HERE = Path(__file__).parent
_LINES_OF_TRACE = 8
MODULE_FILE = _HERE / "ivy.xml"

OnLine = Callable[[str], None]


class JarsUnavailableError(UserError):
    def __init__(self, last_lines: str) -> None:
        super().__init__(
            f"Ivy could not load the jars; its last lines:\n{last_lines}\n"
            "Is the package registry reachable? Run this again: what is loaded stays."
        )


class PySparkMissingError(UserError):
    def __init__(self) -> None:
        super().__init__("PySpark is not installed here; `make install` does that.")


def retrieve(
    java: Path, *, into: Path, cache: Path, on_line: OnLine, module: Path = MODULE_FILE
) -> None:
    """Load all jars of a module into `into/<conf>/`; `cache` keeps what one run got."""
    last: deque[str] = deque(maxlen=_LINES_OF_TRACE)
    with subprocess.Popen(
        _command(java, into=into, cache=cache, module=module),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as ivy:
        for line in ivy.stdout or ():
            if line.strip():
                last.append(line.rstrip())
            on_line(line)
    if ivy.returncode != 0:
        raise JarsUnavailableError("\n".join(last))


def is_step(line: str) -> bool:
    """Tell whether Ivy says that it found a module or loaded a jar: two steps for each jar."""
    return line.startswith(("\tfound ", "\t[SUCCESSFUL ]"))


def _command(java: Path, *, into: Path, cache: Path, module: Path) -> list[str]:
    jars = _pyspark_jars()
    class_path = [*jars.glob("ivy-*.jar"), *jars.glob("commons-cli-*.jar")]
    return [
        str(java),
        f"-Dfrazil.ivy.cache={cache}",
        *trust_flags(java, cache),
        "-cp",
        ":".join(map(str, class_path)),
        "org.apache.ivy.Main",
        *("-settings", str(_HERE / "ivysettings.xml")),
        *("-ivy", str(module)),
        *("-retrieve", f"{into}/[conf]/[artifact]-[revision].[ext]"),
        *("-types", "jar", "bundle", "archive"),
    ]


def _pyspark_jars() -> Path:
    # Looked up and not imported: importing PySpark takes a second, and only workers may.
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise PySparkMissingError
    return Path(spec.origin).parent / "jars"
