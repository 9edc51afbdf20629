"""The class-data archive: one per Java build and class path, and never in the way."""

from pathlib import Path

from frazil.worker.archive import archive_flags, archive_path
from frazil.worker.settings import ArchiveMode, WorkerSettings


def java(folder: Path, build: str) -> Path:
    binary = folder / build / "bin" / "java"
    binary.parent.mkdir(parents=True)
    binary.touch()
    (folder / build / "release").write_text(build)
    return binary


def test_another_java_or_another_class_path_has_another_archive(tmp_path: Path) -> None:
    first, second = java(tmp_path, "17"), java(tmp_path, "21")
    jars = [Path("a.jar"), Path("b.jar")]
    paths = {
        archive_path(tmp_path, first, jars),
        archive_path(tmp_path, second, jars),
        archive_path(tmp_path, first, jars[::-1]),
    }
    assert len(paths) == 3


def test_an_archive_that_is_missing_is_done_without(tmp_path: Path) -> None:
    settings = WorkerSettings(home=tmp_path, archive=ArchiveMode.USE)
    assert archive_flags(settings, java(tmp_path, "17"), []) == []


def test_training_writes_what_using_reads(tmp_path: Path) -> None:
    binary = java(tmp_path, "17")
    train = archive_flags(WorkerSettings(home=tmp_path, archive=ArchiveMode.TRAIN), binary, [])
    path = archive_path(tmp_path, binary, [])
    assert train[0] == f"-XX:ArchiveClassesAtExit={path}"
    path.touch()
    use = archive_flags(WorkerSettings(home=tmp_path, archive=ArchiveMode.USE), binary, [])
    assert use[0] == f"-XX:SharedArchiveFile={path}"
