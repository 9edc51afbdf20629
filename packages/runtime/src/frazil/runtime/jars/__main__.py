"""`python -m frazil.runtime.jars`: writes the lock anew, after a change of ivy.xml."""

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
    with tempfile.TemporaryDirectory() as name:
        fresh, cache = Path(name) / "jars", Path(name) / "cache"
        java = find_java(settings.java_home)
        ivy.retrieve(java, into=fresh, cache=cache, on_line=lambda _line: None)
        lock.LOCK_FILE.write_text(lock.render(lock.measure(fresh)))
    log.info("jars_locked", file=str(lock.LOCK_FILE))


if __name__ == "__main__":
    main()
