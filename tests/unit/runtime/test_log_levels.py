"""Levels of loggers: Connect's names, set for all that begin alike, changed only if they change."""

import logging
from collections.abc import Iterator
from uuid import uuid4

import pytest
import sqlalchemy  # noqa: F401 (a library with loggers)

from frazil.runtime.log_levels import LEVELS, LogLevels


@pytest.fixture
def name() -> str:
    """A name of which no logger is a part."""
    return f"test{uuid4().hex[:8]}"


@pytest.fixture
def levels() -> LogLevels:
    return LogLevels()


@pytest.fixture
def _all_as_before() -> Iterator[None]:
    manager = logging.root.manager
    loggers = [logging.root, *map(logging.getLogger, list(manager.loggerDict))]
    before = [(logger, logger.level) for logger in loggers]
    yield
    for logger, level in before:
        logger.setLevel(level)


def test_a_logger_that_nobody_has_made_is_unknown_until_it_gets_a_level(
    levels: LogLevels, name: str
) -> None:
    assert levels.get(f"{name}.a") is None
    assert levels.set(f"{name}.a", "TRACE") == [f"{name}.a"]
    found = levels.get(f"{name}.a")
    assert found is not None
    assert found.level == "TRACE"
    assert found.last_modified is not None
    # Its parent exists only as a part of its name.
    assert levels.get(name) is None


def test_a_level_takes_effect(levels: LogLevels, name: str) -> None:
    levels.set(name, "DEBUG")
    assert logging.getLogger(f"{name}.child").isEnabledFor(logging.DEBUG)
    levels.set(name, "OFF")
    assert not logging.getLogger(f"{name}.child").isEnabledFor(logging.CRITICAL)


def test_all_names_that_begin_so_are_set(levels: LogLevels, name: str) -> None:
    for each in (f"{name}.a", f"{name}.ab", f"{name}.b"):
        logging.getLogger(each).setLevel(logging.ERROR)
    assert levels.set(f"{name}.a", "DEBUG") == [f"{name}.a", f"{name}.ab"]
    assert logging.getLogger(f"{name}.b").level == logging.ERROR


def test_what_had_the_level_already_did_not_change(levels: LogLevels, name: str) -> None:
    logging.getLogger(name).setLevel(logging.INFO)
    assert levels.set(name, "INFO") == []
    found = levels.get(name)
    assert found is not None
    assert found.last_modified is None


def test_children_without_a_level_follow_their_parent(levels: LogLevels, name: str) -> None:
    logging.getLogger(name).setLevel(logging.INFO)
    child = logging.getLogger(f"{name}.child")
    assert levels.set(name, "DEBUG") == [name]
    assert child.isEnabledFor(logging.DEBUG)


@pytest.mark.usefixtures("_all_as_before")
def test_the_list_has_packages_and_what_has_a_level_of_its_own(
    levels: LogLevels, name: str
) -> None:
    logging.getLogger("frazil.runtime.log_levels")
    logging.getLogger("sqlalchemy.engine.Engine")
    logging.getLogger(f"{name}.own").setLevel(logging.INFO)
    found = levels.all()
    assert {"root", "frazil.runtime", "sqlalchemy", f"{name}.own"} <= found.keys()
    assert not {"frazil.runtime.log_levels", "sqlalchemy.engine.Engine", name} & found.keys()
    assert levels.get("sqlalchemy.engine.Engine") is not None


@pytest.mark.usefixtures("_all_as_before")
def test_the_root_silences_all(levels: LogLevels, name: str) -> None:
    logging.getLogger(name).setLevel(logging.INFO)
    changed = levels.set("root", "FATAL")
    assert changed == sorted(changed)
    assert {"root", name, "frazil.runtime"} <= set(changed)
    assert {found.level for found in levels.all().values()} <= {"FATAL", "OFF"}
    assert logging.getLogger(f"{name}.child").getEffectiveLevel() == logging.CRITICAL


@pytest.mark.usefixtures("_all_as_before")
@pytest.mark.parametrize("level", ["INFO", "DEBUG", "TRACE", "ALL"])
def test_the_root_opens_frazil_and_no_library(levels: LogLevels, name: str, level: str) -> None:
    logging.getLogger(f"{name}.quiet").setLevel(logging.CRITICAL)
    levels.set("root", "OFF")
    changed = levels.set("root", level)
    assert {"root", "frazil", "frazil.runtime"} <= set(changed)
    assert levels.all()["root"].level == level
    assert logging.getLogger("frazil.runtime.log_levels").isEnabledFor(LEVELS[level])
    for library in ("sqlalchemy.engine.Engine", "uvicorn.access", name):
        assert logging.getLogger(library).getEffectiveLevel() == logging.WARNING
    assert logging.getLogger(f"{name}.quiet").getEffectiveLevel() == logging.CRITICAL


@pytest.mark.usefixtures("_all_as_before")
def test_a_library_says_more_where_it_is_named(levels: LogLevels) -> None:
    assert "sqlalchemy" in levels.set("sqlalchemy", "DEBUG")
    assert logging.getLogger("sqlalchemy.engine.Engine").isEnabledFor(logging.DEBUG)
    levels.set("root", "INFO")
    assert not logging.getLogger("sqlalchemy.engine.Engine").isEnabledFor(logging.INFO)


@pytest.mark.parametrize(
    ("number", "word"),
    [(1000, "OFF"), (50, "FATAL"), (35, "WARN"), (20, "INFO"), (7, "TRACE"), (2, "ALL")],
)
def test_levels_between_two_words_count_as_the_lower(
    levels: LogLevels, name: str, number: int, word: str
) -> None:
    logging.getLogger(name).setLevel(number)
    found = levels.get(name)
    assert found is not None
    assert found.level == word
