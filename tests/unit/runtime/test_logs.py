"""Log lines as they leave the process."""

import io
import json
import logging
import sys
from collections.abc import Callable, Iterator

import pytest
import structlog

from frazil.runtime import logs
from frazil.runtime.hiding import MASK, Hiding

PLANTED = "tr0ub4dor&3"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., io.StringIO]]:
    """Configure for real, onto a stream of the test, and leave no trace of it behind."""
    root, house = logging.getLogger(), logging.getLogger("frazil")
    before = (root.handlers, root.level, house.level, structlog.get_config())
    stream = io.StringIO()

    def configure(format: str = "json", **options: object) -> io.StringIO:  # noqa: A002
        monkeypatch.setattr(sys, "stderr", stream)
        logs.configure("INFO", format, **options)  # type: ignore[arg-type]
        return stream

    yield configure
    root.handlers, config = before[0], before[3]
    root.setLevel(before[1])
    house.setLevel(before[2])
    structlog.configure(**config)


def test_fields_with_a_secret_name_are_masked_at_any_depth(
    written: Callable[..., io.StringIO],
) -> None:
    stream = written(is_secret=lambda name: "password" in name)
    structlog.stdlib.get_logger("frazil.x").info(
        "event", password=PLANTED, config={"a": {"db.password": PLANTED, "user": "me"}}
    )
    line = json.loads(stream.getvalue())
    assert line["password"] == MASK
    assert line["config"] == {"a": {"db.password": MASK, "user": "me"}}


@pytest.mark.parametrize("format", ["json", "text"])
def test_a_known_secret_is_hidden_in_words_fields_and_errors_of_whoever_logs(
    written: Callable[..., io.StringIO],
    format: str,  # noqa: A002
) -> None:
    stream = written(format, hiding=Hiding([PLANTED]))
    log = structlog.stdlib.get_logger("frazil.x")
    try:
        raise ValueError(f"cannot log in with {PLANTED}")
    except ValueError as error:
        log.exception("failed", why=str(error), config=[{"x": PLANTED}])
        logging.getLogger("some.library").warning("it was %s", PLANTED, exc_info=True)
    assert stream.getvalue().count("[hidden]") >= 5
    assert PLANTED not in stream.getvalue()
