"""Errors of workers: each knows the exit code that tells the control plane what to do."""

from frazil.contracts.exit_code import ExitCode


class WorkerError(Exception):
    """A reason to end that a person can read; `cause` is the foreign error behind it, if any."""

    exit_code = ExitCode.CRASHED

    def __init__(self, message: str, cause: str | None = None) -> None:
        super().__init__(message)
        self.cause = cause


class DriverEndedError(WorkerError):
    """The JVM has ended, and nobody had told it to."""


class BadConfigError(WorkerError):
    exit_code = ExitCode.BAD_CONFIG


class UnavailableError(WorkerError):
    """Something outside is not there; a later start can work."""

    exit_code = ExitCode.UNAVAILABLE


class RefusedError(UnavailableError):
    """Something outside knows us and will not have it; a person has to change that."""

    exit_code = ExitCode.REFUSED


class BadRecordError(WorkerError):
    exit_code = ExitCode.BAD_RECORD


class SupersededError(WorkerError):
    """A newer driver of the same connector has taken over."""

    exit_code = ExitCode.SUPERSEDED


class DataLossError(WorkerError):
    """Going on would lose or repeat records; a person has to choose."""

    exit_code = ExitCode.DATA_LOSS


class RolledBackError(DataLossError):
    """What was written to one table was taken back."""


class RewindError(DataLossError):
    """What a table has cannot be taken back so that it is there once when it is read again."""


class BadTableError(WorkerError):
    exit_code = ExitCode.BAD_TABLE


class UnfitError(BadTableError):
    """Spark's analysis refuses what is to be done with the table as it is."""


class NoTableError(BadTableError):
    """There is no table of this name, and none is to be created."""
