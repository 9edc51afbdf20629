"""Errors as Connect's clients expect them: Java-like, first line class and message, then causes."""

import traceback
from collections.abc import Iterator
from pathlib import Path

from frazil.contracts.exit_code import ExitCode
from frazil.worker.errors import WorkerError

_CONNECT_EXCEPTION = "org.apache.kafka.connect.errors.ConnectException"
_LONGEST = 8000
_FRAMES = 8


def trace_of(error: BaseException) -> str:
    """Write the error down with its causes; the first line is the sentence a person needs."""
    return "\n".join(_lines(error))[:_LONGEST]


def _lines(error: BaseException) -> Iterator[str]:
    if isinstance(error, WorkerError):
        yield f"{_CONNECT_EXCEPTION}: {error}"
        if error.exit_code is ExitCode.CRASHED:
            yield from _frames(error)
        if error.cause:
            yield f"Caused by: {error.cause}"
    else:
        sentence = f"The worker failed unexpectedly: {first_line(str(error))}"
        yield f"{_CONNECT_EXCEPTION}: {sentence}"
        yield from _described(error)
    cause = error.__cause__
    while cause is not None:
        yield from _described(cause)
        cause = cause.__cause__


def _described(error: BaseException) -> Iterator[str]:
    yield f"Caused by: {type(error).__module__}.{type(error).__qualname__}: {error}"
    yield from _frames(error)


def _frames(error: BaseException) -> Iterator[str]:
    """Say where it came up, innermost first and in Java's form, which clients know to leave out."""
    for frame in traceback.extract_tb(error.__traceback__)[: -_FRAMES - 1 : -1]:
        yield f"\tat {frame.name}({Path(frame.filename).name}:{frame.lineno})"


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
