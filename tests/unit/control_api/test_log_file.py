"""The tail of a log file, and what is added to it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frazil.control_api.engine import log_file
from frazil.control_api.engine.log_file import everybody, is_about, log_lines

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
        patch.setattr(log_file, "_BLOCK", 3)
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
        patch.setattr(log_file, "_BLOCK", 3)
        found = await read(path, tail, concerns=partial(is_about, connector="a", epoch=7))
    assert found == concerned[max(len(concerned) - tail, 0) :]


async def test_no_file_is_no_lines(tmp_path: Path) -> None:
    assert await read(tmp_path / "worker.log", 5) == []


async def test_what_is_written_later_follows_in_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "_POLL_SECONDS", 0.0)
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
