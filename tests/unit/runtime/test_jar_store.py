import hashlib
from pathlib import Path

import pytest

from frazil.runtime.jars import JarMismatchError, JarStore, ivy

JAVA = Path("/nowhere/java")


def _lock(folder: Path, content: bytes) -> Path:
    file = folder / "jars.sha256"
    file.write_text(f"{hashlib.sha256(content).hexdigest()}  spark/a.jar\n")
    return file


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Contents that the registry serves for `spark/a.jar`, one a call."""
    contents: list[bytes] = []

    def retrieve(
        _java: Path, *, into: Path, cache: Path, on_line: ivy.OnLine, module: Path
    ) -> None:
        assert module == ivy.MODULE_FILE
        cache.mkdir(parents=True, exist_ok=True)
        (into / "spark").mkdir(parents=True)
        (into / "spark" / "a.jar").write_bytes(contents.pop(0))
        on_line("\tfound x#a;1 in central\n")
        on_line("downloading something\n")
        on_line("\t[SUCCESSFUL ] x#a;1!a.jar (10ms)\n")

    monkeypatch.setattr(ivy, "retrieve", retrieve)
    return contents


def _ignore(_done: int, _total: int) -> None:
    pass


def test_jars_that_match_the_lock_are_put_in_place(tmp_path: Path, served: list[bytes]) -> None:
    store = JarStore(tmp_path, _lock(tmp_path, b"abc"))
    served.append(b"abc")
    assert not store.is_complete()
    store.resolve(JAVA, _ignore)
    assert store.is_complete()
    assert (store.folder("spark") / "a.jar").read_bytes() == b"abc"


def test_a_second_run_loads_nothing(tmp_path: Path, served: list[bytes]) -> None:
    store = JarStore(tmp_path, _lock(tmp_path, b"abc"))
    served.append(b"abc")
    store.resolve(JAVA, _ignore)
    store.resolve(JAVA, _ignore)  # would fail: nothing is served any more


def test_a_wrong_jar_is_refused_and_not_kept_for_the_next_try(
    tmp_path: Path, served: list[bytes]
) -> None:
    store = JarStore(tmp_path, _lock(tmp_path, b"abc"))
    served += [b"evil", b"abc"]
    with pytest.raises(JarMismatchError, match=r"spark/a\.jar has sha256"):
        store.resolve(JAVA, _ignore)
    assert not store.is_complete()
    assert not (tmp_path / "jars" / "ivy-cache").exists()
    store.resolve(JAVA, _ignore)
    assert store.is_complete()


def test_a_damaged_folder_is_replaced(tmp_path: Path, served: list[bytes]) -> None:
    store = JarStore(tmp_path, _lock(tmp_path, b"abc"))
    served += [b"abc", b"abc"]
    store.resolve(JAVA, _ignore)
    (store.folder("spark") / "a.jar").unlink()
    store.resolve(JAVA, _ignore)
    assert store.is_complete()


def test_progress_counts_what_is_found_and_what_is_loaded(
    tmp_path: Path, served: list[bytes]
) -> None:
    seen: list[tuple[int, int]] = []
    served.append(b"abc")
    JarStore(tmp_path, _lock(tmp_path, b"abc")).resolve(JAVA, lambda *step: seen.append(step))
    assert seen == [(1, 2), (2, 2)]


def test_another_lock_is_another_folder(tmp_path: Path) -> None:
    one = JarStore(tmp_path, _lock(tmp_path, b"abc")).folder("spark")
    other = JarStore(tmp_path, _lock(tmp_path, b"abcd")).folder("spark")
    assert one != other
