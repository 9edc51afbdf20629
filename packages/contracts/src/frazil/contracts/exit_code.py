"""Why a worker ended: the exit code is the message, so that no engine has to parse a log."""

from enum import IntEnum


class ExitCode(IntEnum):
    OK = 0
    CRASHED = 1
    BAD_CONFIG = 10
    UNAVAILABLE = 11
    BAD_RECORD = 12
    SUPERSEDED = 13
    DATA_LOSS = 14
    BAD_TABLE = 15
    REFUSED = 16

    @property
    def is_retriable(self) -> bool:
        """A new start can help; the others need a person (or a newer driver has taken over)."""
        return self in (ExitCode.CRASHED, ExitCode.UNAVAILABLE)

    @classmethod
    def of(cls, code: int | None) -> "ExitCode":
        """Read an operating system's exit status; signals and unknown codes are crashes."""
        return cls(code) if code in set(cls) else cls.CRASHED
