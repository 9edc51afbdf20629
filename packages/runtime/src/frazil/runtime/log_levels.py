"""Levels of loggers, read and changed while the process runs, in the words of Kafka Connect."""

import logging
import sys
import time
from dataclasses import dataclass

ROOT = "root"
_OURS = "frazil"
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
    """The loggers of this process; there should be one such object.

    Listed are the root, the packages of Frazil and of its libraries, and what has a level of its
    own. Libraries are too many and too loud for the root: it may silence them, and only their own
    names make them say more than warnings.
    """

    def __init__(self) -> None:
        self._modified: dict[str, int] = {}
        self._root: str | None = None
        # Levels that were there before anybody asked for another.
        self._before: dict[str, int] = {}

    def all(self) -> dict[str, LoggerLevel]:
        return {name: self._level(name) for name in sorted(_listed())}

    def get(self, name: str) -> LoggerLevel | None:
        return self._level(name) if name in _listed() | _loggers().keys() else None

    def set(self, namespace: str, level: str) -> list[str]:
        """Set a logger, made if need be, and all whose names begin so; return those that changed.

        The level is a name of `LEVELS`; the root stands for all loggers.
        """
        names = _listed()
        if namespace != ROOT:
            names = {name for name in names - {ROOT} if name.startswith(namespace)} | {namespace}
        # Before the first is set, for loggers without a level of their own follow others.
        before = {name: self._level(name).level for name in names}
        number = LEVELS[level]
        for name in names:
            quietest = self._before.setdefault(name, _logger(name).level)
            is_bounded = namespace == ROOT and not _is_ours(name)
            _logger(name).setLevel(max(number, quietest, logging.WARNING) if is_bounded else number)
        if namespace == ROOT:
            self._root = level
        changed = [name for name in sorted(names) if self._level(name).level != before[name]]
        self._modified |= dict.fromkeys(changed, int(time.time() * 1000))
        return changed

    def _level(self, name: str) -> LoggerLevel:
        effective = _logger(name).getEffectiveLevel()
        level = next((word for word, number in LEVELS.items() if effective >= number), "ALL")
        if name == ROOT and self._root is not None:
            level = self._root
        return LoggerLevel(level, self._modified.get(name))


def _logger(name: str) -> logging.Logger:
    return logging.getLogger() if name == ROOT else logging.getLogger(name)


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == _OURS


def _loggers() -> dict[str, logging.Logger]:
    loggers = list(logging.root.manager.loggerDict.items())
    return {name: logger for name, logger in loggers if isinstance(logger, logging.Logger)}


def _listed() -> set[str]:
    loggers = _loggers()
    ours = {
        name
        for name, module in list(sys.modules.items())
        if _is_ours(name) and hasattr(module, "__path__")
    }
    libraries = {name.partition(".")[0] for name in loggers} & sys.modules.keys()
    explicit = {name for name, logger in loggers.items() if logger.level != logging.NOTSET}
    return {ROOT} | ours | libraries | explicit
