"""The service that reads tables for a control API, over a Unix socket, as a process."""

import asyncio
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from structlog.testing import capture_logs
from tests.support.environment import environment

from frazil.control_api.core.errors import CatalogError, CatalogTimeoutError
from frazil.control_api.core.proof import TableHistory, TableSource
from frazil.control_api.tables import streams
from frazil.control_api.tables.child import Child
from frazil.control_api.tables.reader import TableReader
from frazil.control_api.tables.service import ReaderSocket

# Each test starts Python and PyIceberg once or twice.
pytestmark = pytest.mark.timeout(60)
ROWS = pa.table({"id": [1]})


@pytest.fixture
def path() -> Iterator[Path]:
    # Names of sockets are short: pytest's folders are too deep.
    with tempfile.TemporaryDirectory(prefix="frazil-") as folder:
        yield Path(folder) / "socket"


@pytest.fixture
def service(path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "frazil.control_api.tables", "serve", str(path)]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr
            assert b"table_reader_ready" in process.stderr.readline()
            yield process
        finally:
            process.kill()


@pytest.fixture
def source(tmp_path: Path) -> TableSource:
    catalog = SqlCatalog(
        "iceberg", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/w"
    )
    catalog.create_namespace("streaming")
    catalog.create_table("streaming.rows", ROWS.schema)
    catalog.engine.dispose()
    java = {"type": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/c.db", "warehouse": f"{tmp_path}/w"}
    return TableSource("c", "iceberg", java, {"streaming.rows": "main"})


def read(path: Path, source: TableSource, folder: Path, timeout: float = 50) -> list[TableHistory]:
    reader = TableReader(ReaderSocket(path), hosts=["127.0.0.1"], folders=[folder], timeout=timeout)
    return asyncio.run(reader.histories(source))


@pytest.mark.usefixtures("service")
def test_tables_are_read_over_the_socket_of_one_user(
    path: Path, source: TableSource, tmp_path: Path
) -> None:
    assert [table.table for table in read(path, source, tmp_path)] == ["streaming.rows"]
    assert not stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO)


@pytest.mark.usefixtures("service")
def test_what_cannot_be_read_is_the_same_sentence(
    path: Path, source: TableSource, tmp_path: Path
) -> None:
    with pytest.raises(CatalogError, match="FRAZIL_CATALOG_FOLDERS does not name"):
        read(path, source, tmp_path / "other")


@pytest.mark.usefixtures("service")
def test_a_catalog_that_hangs_holds_up_nobody_else(
    path: Path, source: TableSource, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"http://127.0.0.1:{silent.getsockname()[1]}"
        hanging = TableSource("h", "iceberg", {"type": "rest", "uri": uri}, source.tables)
        with pytest.raises(CatalogTimeoutError):
            read(path, hanging, tmp_path, timeout=0.2)
        # At most two are read at once, so those who have gone must not count.
        for _ in range(2):
            with pytest.raises(CatalogTimeoutError):
                read(path, hanging, tmp_path, timeout=0.2)
        assert read(path, source, tmp_path)


@pytest.mark.usefixtures("service")
def test_nonsense_is_no_question(path: Path, source: TableSource, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
    assert read(path, source, tmp_path)


def test_a_service_that_is_not_there_is_a_sentence(
    path: Path, source: TableSource, tmp_path: Path
) -> None:
    with capture_logs() as logs, pytest.raises(CatalogError) as caught:
        read(path, source, tmp_path)
    assert str(caught.value) == (
        "The catalog of c cannot be read: the table reader does not answer; see the log"
    )
    assert "FileNotFoundError" in str(logs)


def test_a_signal_ends_it_in_peace(service: "subprocess.Popen[bytes]") -> None:
    service.send_signal(signal.SIGTERM)
    assert service.wait() == 0


async def test_a_process_that_says_too_much_is_ended(
    source: TableSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LARGEST", 1_000_000)
    endless = "import sys\nwhile True: sys.stdout.write('x' * 1_000_000)"
    reader = TableReader(Child((sys.executable, "-c", endless)))
    with pytest.raises(CatalogError, match="says more than any table has to say"):
        await reader.histories(source)


async def test_what_a_process_says_before_it_dies_is_in_the_log(source: TableSource) -> None:
    noisy = "import sys; sys.stderr.write('x' * 1_000_000 + 'the end')"
    reader = TableReader(Child((sys.executable, "-c", noisy)))
    with capture_logs() as logs, pytest.raises(CatalogError, match="has died; see the log"):
        await reader.histories(source)
    (line,) = logs
    assert line["detail"].endswith("the end\nexit code 0")
    assert len(line["detail"]) == 2000
