"""The control API's parts on a fake clock; every test fails if a loop blocks its event loop."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from structlog.testing import capture_logs
from structlog.typing import EventDict
from tests.support.control_api import ASYNCHRONOUS, FakeClock

from frazil.control_api.core.service import ConnectorService
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.store.repository import Repository


@pytest.fixture(autouse=True)
def blockbuster() -> Iterator[BlockBuster]:
    with blockbuster_ctx(ASYNCHRONOUS) as blockbuster:
        yield blockbuster


@pytest.fixture(autouse=True)
def lines() -> Iterator[list[EventDict]]:
    """What was logged, as fields; nothing is rendered, which would read source files."""
    with capture_logs() as lines:
        yield lines


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def engine(clock: FakeClock) -> FakeEngine:
    return FakeEngine(clock)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Repository]:
    repository = Repository(f"sqlite:///{tmp_path / 'connectors.db'}")
    yield repository
    repository.close()


@pytest.fixture
def notified() -> list[str]:
    """Names that the service put on the queue."""
    return []


@pytest.fixture
def service(store: Repository, notified: list[str]) -> ConnectorService:
    return ConnectorService(store, notified.append)
