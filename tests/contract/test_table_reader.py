"""One suite for the kinds of catalog that a ledger can be read through."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from tests.support.ledgers import ledger
from tests.support.minio import MinIO

from frazil.control_api.tables.errors import UnreadableError
from frazil.control_api.tables.files import MetadataFiles
from frazil.control_api.tables.properties import python_properties
from frazil.control_api.tables.reading import answer
from frazil.control_api.tables.wire import Answer, Question

ROWS = pa.table({"id": [1, 2]})
TOKEN = "a-token-of-the-catalog"  # noqa: S105


def make_table(uri: str, warehouse: str, **properties: str) -> str:
    """Make a table with one commit of connector `c`; return its metadata as JSON."""
    catalog = SqlCatalog("iceberg", uri=uri, warehouse=warehouse, **properties)
    catalog.create_namespace("streaming")
    table = catalog.create_table("streaming.rows", ROWS.schema)
    one = ledger(start={"t": {0: 0}}, end={"t": {0: 2}}).model_copy(update={"written": 2})
    table.append(ROWS, snapshot_properties=one.to_summary(control_topic="x"))
    catalog.engine.dispose()
    return table.metadata.model_dump_json()


@pytest.fixture
def sqlite(tmp_path: Path) -> dict[str, str]:
    make_table(f"sqlite:///{tmp_path}/catalog.db", f"file://{tmp_path}/warehouse")
    return {
        "type": "jdbc",
        "uri": f"jdbc:sqlite:{tmp_path}/catalog.db",
        "warehouse": f"file:{tmp_path}/warehouse",
    }


@pytest.fixture
def postgres(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    url: str = request.getfixturevalue("postgresql").new_database()
    make_table(url.replace("postgresql:", "postgresql+psycopg:"), f"file://{tmp_path}/warehouse")
    login, _, address = url.removeprefix("postgresql://").rpartition("@")
    user, _, password = login.partition(":")
    # A name, which may have an address more, where nothing listens.
    uri = f"jdbc:postgresql://{address.replace('127.0.0.1', 'localhost')}"
    return {
        "type": "jdbc",
        "uri": uri,
        "jdbc.user": user,
        "jdbc.password": password,
        "warehouse": f"{tmp_path}/warehouse",
    }


@pytest.fixture
def s3(minio: MinIO, tmp_path: Path) -> dict[str, str]:
    warehouse = f"s3://{minio.new_bucket()}/warehouse"
    make_table(f"sqlite:///{tmp_path}/catalog.db", warehouse, **minio.properties)
    return {
        "type": "jdbc",
        "uri": f"jdbc:sqlite:{tmp_path}/catalog.db",
        "warehouse": warehouse.replace("s3:", "s3a:"),
        **minio.properties,
    }


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A catalog that knows one table, and lets in whoever has the token."""
    metadata = json.loads(
        make_table(f"sqlite:///{tmp_path}/catalog.db", f"file://{tmp_path}/warehouse")
    )
    location = f"file://{tmp_path}/metadata.json"
    answers = {
        "/lake/v1/config": {"defaults": {}, "overrides": {}},
        "/lake/v1/namespaces/streaming/tables/rows": {
            "metadata-location": location,
            "metadata": metadata,
            "config": {},
        },
    }

    class Catalog(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            allowed = self.headers["Authorization"] == f"Bearer {TOKEN}"
            found = answers.get(self.path.partition("?")[0]) if allowed else None
            self.send_response(200 if found else 401)
            self.end_headers()
            self.wfile.write(json.dumps(found or {"error": {"message": "no"}}).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Catalog) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield {
            "catalog-impl": "org.apache.iceberg.rest.RESTCatalog",
            "uri": f"http://127.0.0.1:{server.server_port}/lake",
            "token": TOKEN,
            "oauth2-server-uri": "http://127.0.0.1:1/unused",
        }
        server.shutdown()


@pytest.fixture(params=["sqlite", "postgres", "s3", "rest"])
def java(request: pytest.FixtureRequest) -> dict[str, str]:
    """The properties as a connector has them."""
    properties: dict[str, str] = request.getfixturevalue(request.param)
    return properties


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Answer]:
    def ask(java: dict[str, str], table: str = "streaming.rows") -> Answer:
        hosts = ("127.0.0.1", "localhost")
        return answer(
            Question(
                catalog="iceberg",
                properties=python_properties(java, hosts),
                tables={table: "main"},
                connector="c",
                hosts=hosts,
                folders=(tmp_path,),
            )
        )

    return ask


def test_a_table_tells_of_its_snapshots(java: dict[str, str], ask: Callable[..., Answer]) -> None:
    found = ask(java)
    assert found.complaint is None
    (table,) = found.tables
    assert (table.table, table.rows, table.is_whole) == ("streaming.rows", 2, True)
    (entry,) = table.entries
    assert entry.ledger is not None
    assert (entry.ledger.written, entry.ledger.end) == (2, {"t": {0: 2}})


def test_a_catalog_that_refuses_is_a_complaint(
    rest: dict[str, str], ask: Callable[..., Answer]
) -> None:
    found = ask(rest | {"token": "another"})
    assert found.tables == []
    assert found.complaint == "it refuses the connector's credentials (UnauthorizedError)"


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_table_that_is_not_there_is_a_complaint(
    request: pytest.FixtureRequest, kind: str, ask: Callable[..., Answer]
) -> None:
    found = ask(request.getfixturevalue(kind), "streaming.lost")
    assert found.complaint == "it has no table streaming.lost"


def test_metadata_that_cannot_be_read_from_here_is_a_complaint() -> None:
    with pytest.raises(UnreadableError, match="are read from S3 and local folders only"):
        MetadataFiles({"warehouse": "gs://lake"}).new_input("gs://lake/metadata.json")
