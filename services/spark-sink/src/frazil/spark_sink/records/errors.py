"""Why a record cannot be a row. Each makes the record a dead letter, with these words."""

from collections.abc import Sequence
from enum import StrEnum


class Stage(StrEnum):
    """What refused the record, as Kafka Connect's headers of dead letters have it."""

    KEY_CONVERTER = "KEY_CONVERTER"
    VALUE_CONVERTER = "VALUE_CONVERTER"
    HEADER_CONVERTER = "HEADER_CONVERTER"
    TRANSFORMATION = "TRANSFORMATION"
    PUT = "TASK_PUT"


class RecordError(Exception):
    """The record cannot be written; `class_name` is the Java class that Connect would name."""

    stage = Stage.PUT
    class_name: str | None = None


class ConverterError(RecordError):
    """The bytes are not what the converter reads."""

    def __init__(self, message: str, stage: Stage = Stage.VALUE_CONVERTER) -> None:
        super().__init__(message)
        self.stage = stage


class TransformError(RecordError):
    """A transform, or its predicate, refuses the record."""

    stage = Stage.TRANSFORMATION

    def __init__(self, message: str, class_name: str | None = None) -> None:
        super().__init__(message)
        self.class_name = class_name


class RouteError(RecordError):
    """The record does not say for which table it is."""


class MisfitError(RecordError):
    """A column cannot hold its value, or a required column has none."""

    def __init__(self, path: Sequence[str], reason: str) -> None:
        self.path = tuple(path)
        self.reason = reason
        super().__init__(f"column {'.'.join(path)} {reason}" if path else reason)

    def __reduce__(self) -> tuple[type["MisfitError"], tuple[tuple[str, ...], str]]:
        return type(self), (self.path, self.reason)


class StoppingMisfitError(MisfitError):
    """A misfit in a column whose policy is `fail`: the connector stops, whatever is tolerated."""
