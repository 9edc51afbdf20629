"""What tests of several kinds share: one PostgreSQL and one MinIO, if they are to be had."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from tests.support import minio as minio_support
from tests.support.minio import MinIO
from tests.support.postgresql import PostgreSQL, find_binaries, running


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL is installed: neither on the PATH nor in /usr/lib/postgresql")
    with running(binaries) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MinIO]:
    program = minio_support.find_program()
    if program is None:
        pytest.skip("there is no MinIO, neither on the PATH nor built by deploy/airgap/minio.sh")
    with minio_support.running(program, tmp_path_factory.mktemp("minio")) as server:
        yield server


def pytest_configure() -> None:
    # How long an example takes says how busy the machine is.
    settings.register_profile("patient", settings(deadline=None))
    settings.load_profile("patient")
    # No JVM of a test lives long enough for the second compiler to pay: a fifth of all the time.
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")  # noqa: TID251


def pytest_addoption(parser: pytest.Parser) -> None:
    # Here, for options of a folder's own conftest are known only if that folder is named.
    parser.addoption(
        "--catalog-url",
        help="Iceberg REST catalog for tests/contract/iceberg_rest; ours, in process, if not given",
    )
    parser.addoption("--catalog-warehouse", help="its warehouse, if it wants one to be named")
