"""Real clients of Connect's API: they live outside the repository, each as its registry has it."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from frazil.runtime.alone import alone
from frazil.runtime.jars import JarStore
from frazil.runtime.jars.ivy import JarsUnavailableError
from frazil.runtime.java import find_java
from frazil.runtime.settings import FrazilSettings

_REPOSITORY = Path(__file__).parents[2]
_PACKAGES = _REPOSITORY / "requirements" / "clients.txt"
FOLDER = _REPOSITORY / "tests" / "integration" / "clients"


def jdk() -> Path:
    """Return a `java` that runs a source file; may skip."""
    java = find_java(FrazilSettings().java_home)
    modules = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=True)
    if "jdk.compiler" not in modules.stdout:
        pytest.skip(f"{java} is a JRE, and only a JDK runs a source file")
    return java


def java_client() -> list[str]:
    """Return the command that runs a Java source file beside the client's jars; may skip."""
    java = jdk()
    settings = FrazilSettings()
    store = JarStore(settings.home, FOLDER / "jars.sha256", FOLDER / "ivy.xml")
    try:
        store.resolve(java, lambda _done, _total: None)
    except JarsUnavailableError as error:
        pytest.skip(str(error))
    return [str(java), "-cp", f"{store.folder('clients')}/*"]


def python_clients() -> Path:
    """Return the folder of the clients' programs; may skip.

    Their pins are not ours, so they have an environment of their own.
    """
    home = FrazilSettings().home / "clients"
    digest = hashlib.sha256(_PACKAGES.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = home / digest
    with alone(home / "lock"):
        # Made last, so that what was cut short is made anew.
        complete = folder / "complete"
        if not complete.exists():
            _install(folder)
            complete.touch()
    return folder / "bin"


def _install(folder: Path) -> None:
    venv.create(folder, clear=True, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    wanted = ["--quiet", "--require-hashes", "-r", str(_PACKAGES)]
    run = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip(f"the clients cannot be had: {run.stderr[-300:]}")
