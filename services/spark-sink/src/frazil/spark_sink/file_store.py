"""Where the file sink's lines go: a file with a note beside it, or the worker's own log.

Lines are in the file exactly once as long as nobody else writes to it. Under a lock a batch is
appended between two versions of the note: the first says how long the file is and how much is to
come, the second that it came. After a kill in between, what there is of the batch is cut off.
"""

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from frazil.contracts.ledger import Ledger
from frazil.contracts.naming import run_folder
from frazil.runtime.logs import get_logger
from frazil.spark_sink.core.judge import Claim, Verdict, judge
from frazil.spark_sink.core.note import Note, Tail, tail_of
from frazil.spark_sink.lines import LinePlan
from frazil.spark_sink.spool import Spool, copy, size_of
from frazil.worker.errors import BadConfigError, UnavailableError

log = get_logger(__name__)

FirstLedger = Callable[[], Ledger | None]
"""Tells the position of a connector that has written nothing here yet."""

_DONE = (Verdict.APPEND, Verdict.ALREADY_DONE)


class FileStore(Spool):
    """One file as one connector sees it; several may append to the same."""

    def __init__(
        self, folder: Path, plan: LinePlan, *, path: Path, connector: str, first: FirstLedger
    ) -> None:
        super().__init__(folder, plan)
        self.name = f"file {path}"
        self._path = path
        self._note_path = path.with_name(f".{path.name}.{run_folder(connector)}.note")
        self._first = first
        try:
            path.open("ab").close()
        except OSError as error:
            raise BadConfigError(
                f"Couldn't find or create file '{path}' for FileStreamSinkTask: {error.strerror}."
            ) from error

    def ledger(self) -> Ledger | None:
        return self._newest(self._note())

    def append(self, files: list[Path], ledger: Ledger, claim: Claim) -> Verdict:
        try:
            with self._locked() as file:
                verdict = self._append(file, files, ledger, claim)
        except OSError as error:
            raise UnavailableError(f"{self._path} cannot be written: {error.strerror}.") from error
        if verdict in _DONE:
            self.delete_files(files)
        return verdict

    def _append(self, file: BinaryIO, files: list[Path], ledger: Ledger, claim: Claim) -> Verdict:
        note = self._note()
        verdict = judge(self._newest(note), claim)
        if verdict is not Verdict.APPEND:
            return verdict
        start, more = self._mend(file, note), size_of(files)
        before = note.ledger if note else None
        self._write_note(Note(ledger=before, length=start, pending=more))
        copy(files, file)
        file.flush()
        os.fsync(file.fileno())
        self._write_note(Note(ledger=ledger, length=start + more))
        return verdict

    def _mend(self, file: BinaryIO, note: Note | None) -> int:
        """Cut off an unfinished batch of ours, but never what may be of others."""
        size = os.fstat(file.fileno()).st_size
        tail = tail_of(note, size)
        if note is not None and tail is Tail.UNFINISHED:
            file.truncate(note.length)
            return note.length
        if tail is Tail.FOREIGN:
            log.warning(
                "file_changed_by_others",
                file=str(self._path),
                text="The file is not as this connector left it. It goes on at its end; of a "
                "batch that was cut off, lines may be there twice.",
            )
        return size

    def _newest(self, note: Note | None) -> Ledger | None:
        return self._first() if note is None or note.ledger is None else note.ledger

    def _note(self) -> Note | None:
        try:
            return Note.model_validate_json(self._note_path.read_text())
        except FileNotFoundError:
            return None

    def _write_note(self, note: Note) -> None:
        draft = self._note_path.with_suffix(".tmp")
        draft.write_text(note.model_dump_json(exclude_none=True))
        draft.replace(self._note_path)

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """Open the file while no other driver has it open like this."""
        with self._path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file


class LogStore(Spool):
    """Standard output, each line at least once: what it shows is not ours to take back."""

    name = "the log"

    def __init__(self, folder: Path, plan: LinePlan, *, first: FirstLedger) -> None:
        super().__init__(folder, plan)
        self._first = first
        self._ledger: Ledger | None = None

    def ledger(self) -> Ledger | None:
        return self._ledger or self._first()

    def append(self, files: list[Path], ledger: Ledger, _claim: Claim) -> Verdict:
        copy(files, sys.stdout.buffer)
        sys.stdout.flush()
        self._ledger = ledger
        self.delete_files(files)
        return Verdict.APPEND
