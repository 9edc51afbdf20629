"""Puts Trino together from archives, checked by their sums: `trino.py` prints the folder.

Half a gigabyte, loaded and unpacked once into FRAZIL_HOME.
"""

import shutil
import sys
import zipfile
from pathlib import Path

from frazil.runtime.alone import alone
from frazil.runtime.errors import UserError
from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.runtime.settings import FrazilSettings

_LOCKED = Path(__file__).parent / "images" / "trino"


def main() -> None:
    settings = FrazilSettings()
    store = JarStore(settings.home, _LOCKED / "jars.sha256", _LOCKED / "ivy.xml")
    try:
        store.resolve(find_java(settings.java_home), lambda _done, _total: None)
    except UserError as error:
        sys.exit(str(error))
    archives = store.folder("trino")
    folder = settings.home / "trino" / archives.parent.name
    with alone(settings.home / "trino" / "lock"):
        # Made last, so that what was cut short is made anew.
        complete = folder / "complete"
        if not complete.exists():
            _unpack(archives, folder)
            complete.touch()
    sys.stdout.write(f"{folder}\n")


def _unpack(archives: Path, into: Path) -> None:
    shutil.rmtree(into, ignore_errors=True)
    (server,) = archives.glob("*.tar.gz")
    shutil.unpack_archive(server, into / "server", filter="data")
    (unpacked,) = (into / "server").iterdir()
    (unpacked / "lib").rename(into / "lib")
    shutil.rmtree(into / "server")
    (connector,) = archives.glob("*.zip")
    # Not shutil: it leaves out, without a word, names with two dots, as some of these have.
    with zipfile.ZipFile(connector) as jars:
        jars.extractall(into / "plugin")
    (command,) = archives.glob("trino-cli-*.jar")
    shutil.copy(command, into / "trino-cli.jar")


if __name__ == "__main__":
    main()
