"""A file that comes late, grows, and must not shrink."""

from pathlib import Path

import pytest

from frazil.spark_source import file
from frazil.spark_source.file import FileReader
from frazil.spark_source.reader import Batch
from frazil.worker.errors import DataLossError, UnavailableError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in.txt"


def reader(path: Path | None, most_lines: int = 100) -> FileReader:
    return FileReader("in.txt", path, most_lines=most_lines)


def texts(found: Batch | None) -> list[str]:
    return found.texts if found else []


def test_a_file_that_is_not_there_yet_is_waited_for(path: Path) -> None:
    assert reader(path).read(None) is None


def test_without_a_file_there_is_never_anything() -> None:
    assert reader(None).read(None) is None


def test_a_batch_ends_with_its_position_in_connects_words(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nthr")
    found = reader(path).read(None)
    assert found == Batch(["one", "two"], {"position": 8})
    assert reader(path).partition == {"filename": "in.txt"}


def test_reading_goes_on_where_the_position_says(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nthr")
    assert reader(path).read({"position": 8}) is None
    path.write_bytes(b"one\ntwo\nthree\n")
    assert texts(reader(path).read({"position": 8})) == ["three"]
    assert texts(reader(path).read({"position": None})) == ["one", "two", "three"]


def test_a_batch_is_bounded(path: Path) -> None:
    path.write_bytes(b"a\nb\nc\n")
    assert texts(reader(path, 2).read(None)) == ["a", "b"]
    assert texts(reader(path, 2).read({"position": 4})) == ["c"]


def test_a_line_longer_than_a_chunk_is_read_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "_CHUNK", 4)
    path.write_bytes(b"a line of some length\r\nb")
    assert texts(reader(path).read(None)) == ["a line of some length"]


def test_a_file_that_became_shorter_is_an_error_that_says_what_to_do(path: Path) -> None:
    path.write_bytes(b"new\n")
    with pytest.raises(DataLossError, match=r"has 4 bytes, but 9 were read before.*DELETE"):
        reader(path).read({"position": 9})


def test_what_cannot_be_read_is_named(path: Path) -> None:
    path.mkdir()
    with pytest.raises(UnavailableError, match=r"in\.txt cannot be read: Is a directory"):
        reader(path).read(None)
