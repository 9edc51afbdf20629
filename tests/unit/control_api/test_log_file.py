"""The tail of a log file, and what is added to it."""

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frazil.control_api.engine import log_file, log_stream
from frazil.control_api.engine.log_file import everybody, is_about
from frazil.control_api.engine.log_stream import log_lines

LINES = st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])))


async def read(
    path: Path, tail: int, *, follow: bool = False, concerns: Callable[[bytes], bool] = everybody
) -> list[str]:
    written = log_lines(path, tail=tail, follow=follow, is_alive=lambda: False, concerns=concerns)
    return [line async for line in written]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(lines=LINES, tail=st.integers(0, 9), rest=st.sampled_from(["", "half a line"]))
async def test_the_tail_is_the_last_lines_whatever_the_size_of_blocks(
    tmp_path: Path, lines: list[str], tail: int, rest: str
) -> None:
    path = tmp_path / "worker.log"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_file, "BLOCK", 3)
        path.write_text("".join(f"{line}\n" for line in lines) + rest, newline="")
        expected = lines[max(len(lines) - tail, 0) :] + [part for part in [rest] if part]
        assert await read(path, tail) == expected
        assert await read(path, tail, follow=True) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    whose=st.lists(st.sampled_from(["a", "b", "a of before", "nobody"]), max_size=30),
    tail=st.integers(0, 9),
)
async def test_the_tail_of_a_log_of_many_is_of_one_of_them_and_of_nobody(
    tmp_path: Path, whose: list[str], tail: int
) -> None:
    said = {
        "a": '{"event": "committed", "connector": "a", "epoch": 7}',
        "b": '{"event": "committed", "connector": "b", "epoch": 7}',
        "a of before": '{"event": "committed", "connector": "a", "epoch": 6}',
        "nobody": "2026-11-18T10:00:00Z WARN Utils: the JVM speaks",
    }
    path = tmp_path / "worker.log"
    path.write_text("".join(f"{said[one]}\n" for one in whose))
    concerned = [said[one] for one in whose if one in ("a", "nobody")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_file, "BLOCK", 3)
        found = await read(path, tail, concerns=partial(is_about, connector="a", epoch=7))
    assert found == concerned[max(len(concerned) - tail, 0) :]


async def test_no_file_is_no_lines(tmp_path: Path) -> None:
    assert await read(tmp_path / "worker.log", 5) == []


async def test_what_is_written_later_follows_in_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_stream, "_POLL_SECONDS", 0.0)
    path = tmp_path / "worker.log"
    path.write_bytes(b"one\ntw")
    alive = True
    found = log_lines(path, tail=9, follow=True, is_alive=lambda: alive, concerns=everybody)
    assert await anext(found) == "one"
    with path.open("ab") as file:
        file.write("o\nth\xfc".encode()[:-1])
    assert await anext(found) == "two"
    with path.open("ab") as file:
        file.write("\xfc".encode()[1:] + b"\nfo")
    alive = False
    assert [line async for line in found] == ["th\xfc", "fo"]


def begin_new(path: Path, rest: str, new: str) -> None:
    """Do as a worker does: the old file has its end before the new one has its name."""
    draft = path.with_suffix(".new")
    draft.write_text(new)
    with path.open("a") as file:
        file.write(rest)
    path.with_suffix(".1.log").unlink(missing_ok=True)
    path.with_suffix(".1.log").hardlink_to(path)
    draft.replace(path)


async def test_a_file_that_is_begun_anew_is_followed_without_a_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_stream, "_POLL_SECONDS", 0.0)
    path = tmp_path / "worker.log"
    path.write_text("one\n")
    steps = [("two\nth", "ree\nfour\n"), ("five\n", "six\n"), ("", "seven\nrest")]

    def is_alive() -> bool:
        if steps:
            begin_new(path, *steps.pop(0))
        return bool(steps)

    found = log_lines(path, tail=9, follow=True, is_alive=is_alive, concerns=everybody)
    said = ["one", "two", "three", "four", "five", "six", "seven", "rest"]
    assert [line async for line in found] == said


@pytest.mark.parametrize("tail", range(6))
async def test_the_tail_goes_on_in_the_file_before(tmp_path: Path, tail: int) -> None:
    path = tmp_path / "worker.log"
    path.write_text("one\n")
    begin_new(path, "two\nth", "ree\nfour\n")
    assert await read(path, tail) == ["one", "two", "three", "four"][max(4 - tail, 0) :]
    path.write_text("half")
    assert (await read(path, 9))[-1] == "thhalf"


@pytest.fixture
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "BLOCK", 4)
    monkeypatch.setattr(log_file, "MOST_LINE_BYTES", 16)
    monkeypatch.setattr(log_file, "_MOST_TAIL_BYTES", 64)


class Counted(io.BytesIO):
    """Notes how much is read at once."""

    most = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.most = max(self.most, len(found))
        return found


@pytest.mark.usefixtures("small_bounds")
class TestLinesThatAreTooLong:
    async def test_are_cut(self, tmp_path: Path) -> None:
        path = tmp_path / "worker.log"
        path.write_text("before\n" + "x" * 40 + "\nafter\n")
        assert await read(path, 3) == ["before", "x" * 16, "after"]
        assert await read(path, 3, follow=True) == ["before", "x" * 16, "after"]

    def test_are_not_read_whole_however_long_they_are(self) -> None:
        file = Counted(b"x" * 100_000 + b"\nafter\n")
        assert log_file.last_lines(file, 1, everybody) == [b"after", b""]
        endless = Counted(b"before\n" + b"x" * 100_000)
        assert log_file.last_lines(endless, 5, everybody) == [b"x" * 16]
        assert max(file.most, endless.most) <= 128
        assert file.tell() == 100_007

    async def test_are_cut_also_while_they_are_written(self, tmp_path: Path) -> None:
        path = tmp_path / "worker.log"
        path.write_text("")
        pieces = ["y" * 30, "y" * 30, "y\nnext\n"]

        def is_alive() -> bool:
            with path.open("a") as log:
                log.write(pieces.pop(0))
            return bool(pieces)

        found = log_lines(path, tail=0, follow=True, is_alive=is_alive, concerns=everybody)
        assert [line async for line in found] == ["y" * 16, "next"]
