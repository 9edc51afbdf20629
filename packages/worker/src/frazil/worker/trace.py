"""Errors as Connect's clients expect them: Java-like, first line class and message, then causes."""

from frazil.worker.errors import WorkerError

_CONNECT_EXCEPTION = "org.apache.kafka.connect.errors.ConnectException"
_LONGEST = 8000


def trace_of(error: BaseException) -> str:
    """Write the error down with its causes; the first line is the sentence a person needs."""
    if isinstance(error, WorkerError):
        lines = [f"{_CONNECT_EXCEPTION}: {error}"]
        if error.cause:
            lines.append(f"Caused by: {error.cause}")
    else:
        lines = [
            f"{_CONNECT_EXCEPTION}: The worker failed unexpectedly: {first_line(str(error))}",
            f"Caused by: {type(error).__module__}.{type(error).__qualname__}: {error}",
        ]
    cause = error.__cause__
    while cause is not None:
        lines.append(f"Caused by: {type(cause).__module__}.{type(cause).__qualname__}: {cause}")
        cause = cause.__cause__
    return "\n".join(lines)[:_LONGEST]


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
