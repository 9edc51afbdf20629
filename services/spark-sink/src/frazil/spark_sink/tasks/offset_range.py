"""The unit of work of a task: a range of one partition."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """The offsets from `start` up to, but without, `end`; not every offset has a record."""

    topic: str
    partition: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"offsets {self.start} to {self.end} of {self.topic}-{self.partition}"
