"""The file sink's file: each batch once, whenever it is killed; and what others do to the file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.ledgers import ledger

from frazil.contracts.ledger import Ledger
from frazil.spark_sink import file_store
from frazil.spark_sink.core.judge import Claim, Verdict
from frazil.spark_sink.core.note import Note, Tail, tail_of
from frazil.spark_sink.file_store import FileStore, LogStore
from frazil.spark_sink.lines import LinePlan
from frazil.worker.errors import BadConfigError

PLAN = LinePlan(json=False, schemas=False)


class KilledError(Exception):
    """Stands for kill -9: nothing that comes after it happens."""


def upto(end: int, *, epoch: int = 1, run: str = "a") -> Ledger:
    return ledger(epoch=epoch, run=run, start={"t": {0: 0}}, end={"t": {0: end}})


def opened(folder: Path, first: Callable[[], Ledger | None] = lambda: None) -> FileStore:
    return FileStore(folder, PLAN, path=folder / "out.txt", connector="out", first=first)


def spooled(folder: Path, *parts: str) -> list[Path]:
    """Lay a batch down as Spark does: parts in order, and what is no part."""
    spool = folder / "spool"
    spool.mkdir()
    for number, text in enumerate(parts):
        (spool / f"part-{number:05}-x.txt").write_text(text)
        (spool / f".part-{number:05}-x.txt.crc").write_text("?")
    return [spool]


def commit(store: FileStore, folder: Path, text: str, new: Ledger) -> Verdict:
    after = store.ledger()
    start = after.end if after else {"t": {0: 0}}
    claim = Claim(new.epoch, new.run, after, start, new.end)
    return store.append(spooled(folder, text), new, claim)


def text_of(folder: Path) -> str:
    return (folder / "out.txt").read_text()


def test_the_parts_of_a_batch_are_appended_in_order(tmp_path: Path) -> None:
    store = opened(tmp_path)
    claim = Claim(1, "a", None, {"t": {0: 0}}, {"t": {0: 3}})
    assert store.append(spooled(tmp_path, "a\n", "b\nc\n"), upto(3), claim) is Verdict.APPEND
    assert text_of(tmp_path) == "a\nb\nc\n"
    assert store.ledger() == upto(3)
    assert not (tmp_path / "spool").exists()


def test_what_was_there_before_stays(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("old\n")
    commit(opened(tmp_path), tmp_path, "new\n", upto(1))
    assert text_of(tmp_path) == "old\nnew\n"


def test_without_a_note_the_groups_offsets_are_the_position(tmp_path: Path) -> None:
    assert opened(tmp_path, lambda: upto(7)).ledger() == upto(7)


@pytest.mark.parametrize("written", ["", "se", "second\n"], ids=["nothing", "half", "all"])
def test_a_batch_cut_off_by_a_kill_is_taken_back_and_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    commit(opened(tmp_path), tmp_path, "first\n", upto(1))

    def killed(_files: object, file: object) -> None:
        file.write(written.encode())  # type: ignore[attr-defined]
        file.flush()  # type: ignore[attr-defined]
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(file_store, "copy", killed)
        with pytest.raises(KilledError):
            commit(opened(tmp_path), tmp_path, "second\n", upto(2))
    assert text_of(tmp_path) == f"first\n{written}"
    opened(tmp_path).delete_files([tmp_path / "spool"])
    after = opened(tmp_path)
    assert after.ledger() == upto(1)
    commit(after, tmp_path, "second\n", upto(2, epoch=2, run="b"))
    assert text_of(tmp_path) == "first\nsecond\n"


def test_an_older_driver_writes_nothing_once_a_newer_one_has(tmp_path: Path) -> None:
    older = opened(tmp_path)
    commit(older, tmp_path, "a\n", upto(1))
    commit(opened(tmp_path), tmp_path, "b\n", upto(2, epoch=2, run="b"))
    claim = Claim(1, "a", upto(1), {"t": {0: 1}}, {"t": {0: 2}})
    files = spooled(tmp_path, "b\n")
    assert older.append(files, upto(2), claim) is Verdict.SUPERSEDED
    assert files[0].exists(), "the committer deletes what was refused"
    assert text_of(tmp_path) == "a\nb\n"


def test_lines_of_others_are_never_cut_off(tmp_path: Path) -> None:
    commit(opened(tmp_path), tmp_path, "a\n", upto(1))
    with (tmp_path / "out.txt").open("a") as file:
        file.write("foreign\n")
    commit(opened(tmp_path), tmp_path, "b\n", upto(2))
    assert text_of(tmp_path) == "a\nforeign\nb\n"


def test_a_file_that_was_emptied_is_gone_on_with(tmp_path: Path) -> None:
    commit(opened(tmp_path), tmp_path, "a\n", upto(1))
    (tmp_path / "out.txt").write_text("")
    commit(opened(tmp_path), tmp_path, "b\n", upto(2))
    assert text_of(tmp_path) == "b\n"


def test_a_file_that_cannot_be_made_is_named_in_kafkas_words(tmp_path: Path) -> None:
    with pytest.raises(BadConfigError, match=r"Couldn't find or create file '.*/out\.txt'"):
        opened(tmp_path / "nowhere")


def test_without_a_file_lines_go_to_standard_output(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    store = LogStore(tmp_path, PLAN, first=lambda: upto(1))
    assert store.ledger() == upto(1)
    claim = Claim(1, "a", upto(1), {"t": {0: 1}}, {"t": {0: 2}})
    assert store.append(spooled(tmp_path, "a\n"), upto(2), claim) is Verdict.APPEND
    assert capfdbinary.readouterr().out == b"a\n"
    assert store.ledger() == upto(2)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 30))
def test_only_what_was_announced_is_ever_taken_back(length: int, pending: int, size: int) -> None:
    tail = tail_of(Note(length=length, pending=pending), size)
    assert (tail is Tail.OURS) == (size == length)
    assert (tail is Tail.UNFINISHED) == (0 < size - length <= pending)
    assert tail_of(None, size) is Tail.OURS
