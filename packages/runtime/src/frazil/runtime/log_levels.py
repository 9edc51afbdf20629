"""Levels of loggers, read and changed while the process runs, in the words of Kafka Connect."""

import logging
import time
from dataclasses import dataclass

ROOT = "root"
# Java's scale is finer at both ends; what lies between two of these counts as the lower.
LEVELS = {
    "OFF": 100,
    "FATAL": logging.CRITICAL,
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": 5,
    "ALL": 1,
}


@dataclass(frozen=True, slots=True)
class LoggerLevel:
    """`last_modified` is in milliseconds since 1970, None if nobody has changed the level."""

    level: str
    last_modified: int | None


class LogLevels:
    """The loggers of this process; there should be one such object."""

    def __init__(self) -> None:
        self._modified: dict[str, int] = {}

    def all(self) -> dict[str, LoggerLevel]:
        return {name: self._level(name) for name in sorted(_names())}

    def get(self, name: str) -> LoggerLevel | None:
        return self._level(name) if name in _names() else None

    def set(self, namespace: str, level: str) -> list[str]:
        """Set a logger, made if need be, and all whose names begin so; return those that changed.

        The level is a name of `LEVELS`; the root stands for all loggers.
        """
        number = LEVELS[level]
        names = _names() if namespace == ROOT else _beginning_with(namespace) | {namespace}
        # Before the first is set, for loggers without a level of their own follow others.
        changed = [name for name in sorted(names) if self._level(name).level != level]
        now = int(time.time() * 1000)
        for name in names:
            _logger(name).setLevel(number)
        self._modified |= dict.fromkeys(changed, now)
        return changed

    def _level(self, name: str) -> LoggerLevel:
        effective = _logger(name).getEffectiveLevel()
        level = next((word for word, number in LEVELS.items() if effective >= number), "ALL")
        return LoggerLevel(level, self._modified.get(name))


def _logger(name: str) -> logging.Logger:
    return logging.getLogger() if name == ROOT else logging.getLogger(name)


def _names() -> set[str]:
    loggers = logging.root.manager.loggerDict.items()
    return {ROOT} | {name for name, logger in list(loggers) if isinstance(logger, logging.Logger)}


def _beginning_with(prefix: str) -> set[str]:
    return {name for name in _names() if name.startswith(prefix)}
