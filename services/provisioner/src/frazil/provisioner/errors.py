"""All that can go wrong, as sentences; `__main__` maps them to exit codes in one place."""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import ClassVar

from frazil.runtime.errors import UserError


class ExitCode(IntEnum):
    OK = 0
    FAILED = 1
    DRIFT = 2
    REFUSED = 3
    INVALID = 4


class ProvisionerError(UserError):
    exit_code: ClassVar[ExitCode] = ExitCode.FAILED


class NotReadyError(ProvisionerError):
    """What may be otherwise in a moment: `apply` waits for it, if it was told to."""


class UnavailableError(NotReadyError):
    def __init__(self, system: str, where: str, reason: str = "") -> None:
        super().__init__(f"{system} does not answer at {where}{': ' + reason if reason else ''}.")


class StepFailedError(ProvisionerError):
    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(f"Could not {sentence}: {reason}")


class StepNotSeenError(ProvisionerError):
    def __init__(self, sentence: str) -> None:
        super().__init__(f"Was told that it is done, but cannot see it: {sentence}.")


class RefusedError(ProvisionerError):
    """Something would have to be destroyed first; nothing has been changed."""

    exit_code = ExitCode.REFUSED

    def __init__(self, refusals: Sequence[str]) -> None:
        super().__init__("\n".join(refusals))


class InvalidDesiredStateError(ProvisionerError):
    exit_code = ExitCode.INVALID

    def __init__(self, file: object, complaints: Iterable[str]) -> None:
        lines = "".join(f"\n  {complaint}" for complaint in complaints)
        super().__init__(f"{file} cannot be used:{lines}")


class MissingValuesError(ProvisionerError):
    exit_code = ExitCode.INVALID

    def __init__(self, file: object, names: Sequence[str]) -> None:
        super().__init__(
            f"{file} needs a value for {', '.join(names)}: "
            "give it with --set NAME=VALUE or in the environment."
        )


class InvalidOptionError(ProvisionerError):
    exit_code = ExitCode.INVALID
