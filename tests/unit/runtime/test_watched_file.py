"""A file that changes under a running process: what counts, and what is said of it."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from frazil.runtime.watched_file import WatchedFile


class BadNumberError(Exception):
    pass


def parse(text: str) -> list[int]:
    try:
        return [int(text)]
    except ValueError:
        raise BadNumberError("it is no number") from None


def write(file: Path, text: str) -> None:
    file.write_text(text)


def twin(file: Path, text: str) -> Path:
    """Make a file that looks the same from outside."""
    made, found = file.with_name("twin"), file.stat()
    made.write_text(text)
    made.chmod(found.st_mode)
    os.utime(made, ns=(found.st_atime_ns, found.st_mtime_ns))
    return made


def watched(file: Path) -> WatchedFile[list[int]]:
    return WatchedFile(file, parse, called="number", error=BadNumberError)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "number"
    file.write_text("1")
    return file


async def test_a_change_is_taken_over_and_said(file: Path) -> None:
    number = watched(file)
    write(file, "22")
    assert number.content == [1]
    with capture_logs() as lines:
        await number.reread()
    assert number.content == [22]
    assert [(line["event"], line["file"]) for line in lines] == [("number_read", str(file))]


async def test_what_did_not_change_is_not_read_again(file: Path) -> None:
    number = watched(file)
    before = number.content
    await number.reread()
    assert number.content is before


@pytest.mark.parametrize(
    "change",
    [lambda file: os.utime(file, ns=(0, 0)), lambda file: file.chmod(0o400)],
    ids=["time", "mode"],
)
async def test_another_time_or_mode_is_a_change_too(
    file: Path, change: Callable[[Path], None]
) -> None:
    number = watched(file)
    before = number.content
    change(file)
    await number.reread()
    assert number.content is not before


async def test_a_file_put_in_its_place_is_a_change_even_if_it_looks_the_same(file: Path) -> None:
    number = watched(file)
    twin(file, "2").replace(file)
    await number.reread()
    assert number.content == [2]


BAD: dict[str, Callable[[Path], object]] = {
    "is no number": lambda file: file.write_text("secret"),
    "UnicodeDecodeError": lambda file: file.write_bytes(b"secret\xff"),
    "FileNotFoundError": Path.unlink,
}


@pytest.mark.parametrize("why", BAD)
async def test_what_became_bad_changes_nothing_and_is_said_until_it_is_good_again(
    file: Path, why: str
) -> None:
    number = watched(file)
    BAD[why](file)
    with capture_logs() as lines:
        await number.reread()
        await number.reread()
    assert number.content == [1]
    assert [line["event"] for line in lines] == ["number_not_read"] * 2
    write(file, "333")
    await number.reread()
    assert number.content == [333]


@pytest.mark.parametrize("why", BAD)
def test_what_is_bad_from_the_start_is_an_error_that_names_the_file_and_shows_nothing(
    file: Path, why: str
) -> None:
    BAD[why](file)
    with pytest.raises(BadNumberError, match=rf"{file} cannot be (read|used): .*{why}") as caught:
        watched(file)
    assert "secret" not in str(caught.value)


async def test_it_is_looked_at_again_and_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = watched(file)
    looks: asyncio.Queue[None] = asyncio.Queue()

    monkeypatch.setattr("frazil.runtime.watched_file._PERIOD", 0.0)
    monkeypatch.setattr(number, "reread", lambda: looks.put(None))
    watching = asyncio.ensure_future(number.watch_loop())
    for _ in range(3):
        await looks.get()
    watching.cancel()
