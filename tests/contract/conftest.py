"""Databases of both kinds, for all that has to hold on either."""

from pathlib import Path

import pytest
from tests.support.postgresql import PostgreSQL


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Name an empty database; the folder of a file is not there yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'made' / 'by itself' / 'connectors.db'}"
    cluster: PostgreSQL = request.getfixturevalue("postgresql")
    return cluster.new_database()
