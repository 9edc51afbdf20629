"""Tests that take hours: they run only where their folder is named, as `make nightly-...` does."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_TIMEOUT = 3600


def pytest_addoption(parser: pytest.Parser) -> None:
    today = f"{datetime.now(UTC):%y%m%d}000"
    parser.addoption("--seed", type=int, default=int(today), help=f"of the first case ({today})")
    parser.addoption("--cases", type=int, default=10, help="how many, each with the next seed (10)")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    asked = (config.invocation_params.dir / one.split("::")[0] for one in config.args)
    is_named = any(path.resolve().is_relative_to(_HERE) for path in asked)
    return None if is_named else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(_TIMEOUT))
