"""`python -m frazil.runtime.jars [folder]`: writes the lock anew, after a change of ivy.xml.

Another folder has an `ivy.xml` of its own, such as that of the tests' clients.
"""

import sys
import tempfile
from pathlib import Path

from frazil.runtime.jars import ivy, lock
from frazil.runtime.java import find_java
from frazil.runtime.logs import configure, get_logger
from frazil.runtime.settings import FrazilSettings

log = get_logger(__name__)


def main() -> None:
    settings = FrazilSettings()
    configure(settings.log_level, format="text")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ivy.MODULE_FILE.parent
    lock_file = folder / lock.LOCK_FILE.name
    with tempfile.TemporaryDirectory() as name:
        fresh, cache = Path(name) / "jars", Path(name) / "cache"
        java = find_java(settings.java_home)
        module = folder / ivy.MODULE_FILE.name
        ivy.retrieve(java, into=fresh, cache=cache, on_line=lambda _line: None, module=module)
        lock_file.write_text(lock.render(lock.measure(fresh)))
    log.info("jars_locked", file=str(lock_file))


if __name__ == "__main__":
    main()
