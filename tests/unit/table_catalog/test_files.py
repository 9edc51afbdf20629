"""What is kept of metadata files: never more than allowed, and never made twice meanwhile."""

import gzip
from pathlib import Path

import pytest

from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.core.errors import BadRequestError, NotFoundError


def location(folder: Path, name: str) -> str:
    return (folder / name).as_uri()


def test_what_was_written_is_not_read_again(tmp_path: Path) -> None:
    files = Files(most_bytes=100)
    files.write_metadata(location(tmp_path, "a.metadata.json"), b"{}")
    (tmp_path / "a.metadata.json").unlink()
    assert files.read_metadata(location(tmp_path, "a.metadata.json")) == b"{}"


def test_the_oldest_makes_room_and_is_read_again(tmp_path: Path) -> None:
    files = Files(most_bytes=10)
    for name in ("a", "b"):
        files.write_metadata(location(tmp_path, name), b"12345678")
    (tmp_path / "a").unlink()
    with pytest.raises(NotFoundError):
        files.read_metadata(location(tmp_path, "a"))


def test_what_is_made_of_a_file_is_made_once_while_there_is_room() -> None:
    files, made = Files(most_bytes=10), []

    def make() -> bytes:
        made.append(1)
        return b"12345678"

    assert [files.recall("a", make), files.recall("a", make)] == [b"12345678"] * 2
    assert len(made) == 1
    files.recall("b", make)
    files.recall("a", make)
    assert len(made) == 3


def test_what_is_larger_than_all_room_is_not_kept() -> None:
    files = Files(most_bytes=7)
    assert files.recall("a", lambda: b"12345678") == b"12345678"
    assert files.recall("a", lambda: b"2") == b"2"


def test_a_deleted_file_is_forgotten(tmp_path: Path) -> None:
    files = Files(most_bytes=100)
    files.write_metadata(location(tmp_path, "a"), b"{}")
    files.delete(location(tmp_path, "a"))
    with pytest.raises(NotFoundError):
        files.read_metadata(location(tmp_path, "a"))


def test_compressed_metadata_are_json_when_read(tmp_path: Path) -> None:
    (tmp_path / "v1.gz.metadata.json").write_bytes(gzip.compress(b"{}"))
    assert Files().read_metadata(location(tmp_path, "v1.gz.metadata.json")) == b"{}"


@pytest.mark.parametrize("size", [99, 100])
def test_what_is_not_larger_than_allowed_is_read(tmp_path: Path, size: int) -> None:
    (tmp_path / "a").write_bytes(b" " * size)
    (tmp_path / "a.gz.metadata.json").write_bytes(gzip.compress(b" " * size))
    files = Files(most_each=100)
    assert len(files.read(location(tmp_path, "a"))) == size
    assert len(files.read_metadata(location(tmp_path, "a.gz.metadata.json"))) == size


def test_a_file_that_is_too_large_is_refused_by_its_first_bytes(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(BadRequestError, match="more than 100 bytes: FRAZIL_MAX_METADATA_BYTES"):
        Files(most_each=100).read_metadata(location(tmp_path, "a"))


def test_what_unpacks_to_too_much_is_not_unpacked(tmp_path: Path) -> None:
    packed = gzip.compress(b" " * 10_000_000)
    (tmp_path / "v1.gz.metadata.json").write_bytes(packed)
    with pytest.raises(BadRequestError, match="more than 20000 bytes"):
        Files(most_each=20_000).read_metadata(location(tmp_path, "v1.gz.metadata.json"))


@pytest.mark.parametrize("content", [b"{}", gzip.compress(b"{}", mtime=0)[:-9], b""])
def test_what_is_not_packed_well_is_the_file_s_fault(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v1.metadata.json.gz").write_bytes(content)
    with pytest.raises(BadRequestError, match="cannot be unpacked"):
        Files().read_metadata(location(tmp_path, "v1.metadata.json.gz"))
