"""The three topics that records go to; each takes one kind of record."""

from enum import StrEnum

ALL = "all"


class Topic(StrEnum):
    API = "apilogs"
    ERROR = "errorlogs"
    AUDIT = "auditlogs"


def topics_of(word: str) -> tuple[Topic, ...]:
    """Read a topic's name, or `all`; raises ValueError with a sentence."""
    if word == ALL:
        return tuple(Topic)
    if word not in set(Topic):
        raise ValueError(f"There is no topic {word!r}: take one of {', '.join(Topic)} or {ALL}.")
    return (Topic(word),)
