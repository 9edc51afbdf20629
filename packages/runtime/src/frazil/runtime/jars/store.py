"""Where the jars are kept: a folder named by the hash of the lock, there wholly or not at all."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from frazil.runtime.alone import alone
from frazil.runtime.jars import ivy, lock

OnProgress = Callable[[int, int], None]


class JarStore:
    def __init__(
        self, home: Path, lock_file: Path = lock.LOCK_FILE, module: Path = ivy.MODULE_FILE
    ) -> None:
        text = lock_file.read_text()
        self._module = module
        self._locked = lock.parse(text)
        self._root = home / "jars"
        self._folder = self._root / hashlib.sha256(text.encode()).hexdigest()[:16]

    def folder(self, conf: str) -> Path:
        return self._folder / conf

    def is_complete(self) -> bool:
        # Names are enough: the sums were checked before the folder got its name.
        return all((self._folder / name).is_file() for name in self._locked)

    def resolve(self, java: Path, on_progress: OnProgress) -> None:
        """Load what the lock names; a second process waits for the first and finds it done."""
        with alone(self._root / "lock"):
            if not self.is_complete():
                self._load(java, on_progress)

    def _load(self, java: Path, on_progress: OnProgress) -> None:
        cache = self._root / "ivy-cache"
        with tempfile.TemporaryDirectory(dir=self._root, prefix="loading-") as name:
            fresh = Path(name) / "jars"
            ivy.retrieve(
                java,
                into=fresh,
                cache=cache,
                on_line=self._counter(on_progress),
                module=self._module,
            )
            differences = lock.differences(locked=self._locked, found=lock.measure(fresh))
            if differences:
                shutil.rmtree(cache)
                raise lock.JarMismatchError(differences)
            shutil.rmtree(self._folder, ignore_errors=True)
            fresh.rename(self._folder)
        shutil.rmtree(cache)

    def _counter(self, on_progress: OnProgress) -> ivy.OnLine:
        total = 2 * len(self._locked)
        done = 0

        def count(line: str) -> None:
            nonlocal done
            if ivy.is_step(line) and done < total:
                done += 1
                on_progress(done, total)

        return count
