"""Structured logs: one event name and its fields a line; secrets never appear."""

import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from frazil.runtime.hiding import MASK

IsSecret = Callable[[str], bool]


def masked(fields: Mapping[Any, object], is_secret: IsSecret) -> dict[Any, object]:
    """Copy the fields with the values of secret names hidden, at any depth."""
    return {
        name: MASK
        if is_secret(str(name))
        else masked(value, is_secret)
        if isinstance(value, Mapping)
        else value
        for name, value in fields.items()
    }


def configure(
    level: str = "INFO",
    format: str = "json",  # noqa: A002 (a setting's name)
    *,
    is_secret: IsSecret = lambda _name: False,
    hiding: Callable[[str], str] | None = None,
) -> None:
    """Send structlog's and the standard library's records to stderr in one format.

    Fields with a secret name are masked, and each line goes through `hiding` at last.
    """

    def mask(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return masked(event, is_secret)

    def hide(_logger: WrappedLogger, _method: str, line: Any) -> Any:
        return hiding(line) if hiding else line

    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        mask,
    ]
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
        if format == "text"
        else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                renderer,
                hide,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    # Libraries speak when something is wrong, the house as often as it was told to.
    logging.getLogger("frazil").setLevel(level.upper())


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger
