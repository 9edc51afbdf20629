"""Catalogs that answer what no honest one does: nothing that they say chooses what runs here."""

import asyncio
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from structlog.testing import capture_logs
from tests.support.hostile_catalog import (
    CONFIG,
    LOCAL,
    ROWS,
    TABLE,
    Hostile,
    answers,
    authentication,
    command,
    honest_metadata,
    served,
)

from frazil.control_api.core.errors import BadRequestError, CatalogError
from frazil.control_api.core.proof import TableHistory, TableSource
from frazil.control_api.tables.child import Child
from frazil.control_api.tables.reader import Ask, TableReader
from frazil.control_api.tables.reading import answer
from frazil.control_api.tables.wire import Answer, Question

SECRET = "postgresql://frazil:S3cr3tPw@db/control"  # noqa: S105


async def in_process(question: Question) -> Answer:
    """Answer without the second that a process of its own takes to start."""
    return await asyncio.to_thread(answer, question)


def read(
    java: dict[str, str], folders: Sequence[Path] = (), ask: Ask = in_process, hidden: str = "-"
) -> list[TableHistory]:
    source = TableSource("c", "iceberg", java, {"streaming.rows": "main"}, (hidden,))
    reader = TableReader(ask, hosts=("*", LOCAL), folders=folders)
    return asyncio.run(reader.histories(source))


def refused(
    java: dict[str, str], folders: Sequence[Path] = (), ask: Ask = in_process, hidden: str = "-"
) -> str:
    with pytest.raises((CatalogError, BadRequestError)) as caught:
        read(java, folders, ask, hidden)
    return str(caught.value)


@pytest.fixture
def metadata(tmp_path: Path) -> dict[str, Any]:
    return honest_metadata(tmp_path)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "marker"


@pytest.fixture
def hostile(metadata: dict[str, Any]) -> Iterator[Hostile]:
    with served(answers(metadata)) as hostile:
        yield hostile


def rest(hostile: Hostile, **more: str) -> dict[str, str]:
    return {"type": "rest", "uri": hostile.url, **more}


def test_an_authentication_manager_of_the_servers_choice_is_not_loaded(
    hostile: Hostile, marker: Path
) -> None:
    hostile.answers[CONFIG]["overrides"]["auth"] = authentication(marker)
    assert [table.table for table in read(rest(hostile))] == ["streaming.rows"]
    assert not marker.exists()


@pytest.mark.parametrize("place", ["config", "storage-credentials", "properties"])
def test_a_file_io_of_the_servers_choice_is_not_loaded(
    hostile: Hostile, marker: Path, place: str
) -> None:
    # Popen takes the names of a dictionary as a command, in their order.
    hostile.answers[CONFIG]["defaults"] = dict.fromkeys(command(marker), "")
    words = {"py-io-impl": "subprocess.Popen"}
    table = hostile.answers[TABLE]
    match place:
        case "config":
            table["config"] = words
        case "storage-credentials":
            table[place] = [{"prefix": "s3://b", "config": words}]
        case _:
            table["metadata"]["properties"] |= words
    assert [one.table for one in read(rest(hostile))] == ["streaming.rows"]
    assert not marker.exists()


def test_a_file_io_that_a_table_in_a_database_names_is_not_loaded(
    metadata: dict[str, Any], tmp_path: Path
) -> None:
    metadata["properties"] |= {"py-io-impl": "no.such.Class"}
    with row(tmp_path, tmp_path / "w" / "m.json") as java:
        (tmp_path / "w").mkdir()
        (tmp_path / "w" / "m.json").write_text(json.dumps(metadata))
        assert [one.table for one in read(java, folders=[tmp_path])] == ["streaming.rows"]


@pytest.mark.parametrize("place", ["defaults", "overrides"])
def test_a_server_does_not_send_its_client_elsewhere(hostile: Hostile, place: str) -> None:
    with served({}) as other:
        hostile.answers[CONFIG][place] = {
            "uri": other.url,
            "oauth2-server-uri": f"{other.url}/token",
            "credential": "stolen:credential",
            "token": "stolen-token",
            "header.X-Stolen": "yes",
            "rest.sigv4-enabled": "true",
            "rest.signing-name": "s3",
            "client.access-key-id": "stolen",
            "client.secret-access-key": "stolen",
            "client.profile-name": "default",
            "s3.endpoint": other.url,
            "s3.signer": "S3V4RestSigner",
            "s3.signer.uri": other.url,
            "s3.proxy-uri": other.url,
            "ssl": {"cabundle": "/etc/passwd"},
        }
        assert read(rest(hostile, token="own"))  # noqa: S106
        assert other.requests == []
    for _, _, headers in hostile.requests:
        assert headers["Authorization"] == "Bearer own"
        assert "X-Stolen" not in headers
        assert "X-Iceberg-Access-Delegation" not in headers


def test_the_prefix_is_taken_from_the_server(hostile: Hostile) -> None:
    hostile.answers[CONFIG]["overrides"] = {"prefix": "lake"}
    hostile.answers["/v1/lake/namespaces/streaming/tables/rows"] = hostile.answers.pop(TABLE)
    assert read(rest(hostile))


@pytest.mark.parametrize("path", [CONFIG, TABLE, "/token"])
def test_redirects_are_not_followed(hostile: Hostile, path: str) -> None:
    with served({}) as other:
        hostile.answers[path] = (307, {"Location": f"{other.url}{path}"}, b"")
        java = rest(hostile, credential="a:b") | {"oauth2-server-uri": f"{hostile.url}/token"}
        if path != "/token":
            hostile.answers["/token"] = {"access_token": "t", "token_type": "bearer"}
        message = refused(java)
        assert other.requests == []
    assert "it cannot be reached (RedirectedError)" in message


@pytest.mark.parametrize("is_packed", [False, True])
def test_an_answer_without_an_end_is_refused(hostile: Hostile, is_packed: bool) -> None:
    body = b" " * (65 * 1024 * 1024)
    packed = (200, {"Content-Encoding": "gzip"}, gzip.compress(body, 1))
    hostile.answers[CONFIG] = packed if is_packed else body
    assert "(AnswerTooLargeError)" in refused(rest(hostile))


def test_what_a_server_says_is_in_the_log_and_not_in_the_error(hostile: Hostile) -> None:
    error = {"error": {"message": SECRET, "type": "X", "code": 500}}
    hostile.answers[TABLE] = (500, {}, error)
    with capture_logs() as logs:
        message = refused(rest(hostile))
    assert message == ("The catalog of c cannot be read: it answers with an error (ServerError)")
    assert any(SECRET in one.get("detail", "") for one in logs)


def test_the_secrets_of_a_connector_are_not_in_the_log(hostile: Hostile) -> None:
    error = {"error": {"message": "known: own-token-of-c", "type": "X", "code": 403}}
    hostile.answers[TABLE] = (403, {}, error)
    java = rest(hostile, token="own-token-of-c")  # noqa: S106
    with capture_logs() as logs:
        assert "refuses the connector's" in refused(java, hidden="own-token-of-c")
    assert "own-token-of-c" not in str(logs)
    assert "known: [hidden]" in str(logs)


@contextmanager
def row(folder: Path, location: object) -> Iterator[dict[str, str]]:
    """A catalog in SQLite with one row, whose warehouse is `w` in the same folder."""
    uri = f"sqlite:///{quote(str(folder))}/rows.db"
    catalog = SqlCatalog("iceberg", uri=uri, warehouse=f"file://{folder}/honest")
    catalog.create_namespace("streaming")
    catalog.create_table("streaming.rows", ROWS.schema)
    with catalog.engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE iceberg_tables SET metadata_location=?", (str(location),)
        )
    catalog.engine.dispose()
    yield {
        "type": "jdbc",
        "uri": f"jdbc:sqlite:{folder}/rows.db",
        "warehouse": f"file://{folder}/w",
    }


@pytest.mark.parametrize(
    "spell",
    [
        lambda file: f"file://{file}",
        lambda file: f"file:{file}",
        lambda file: f"{file}",
        lambda file: f"file://{file.parent}/w/../{file.name}",
        lambda file: f"file://{file.parent}/w/link",
        lambda file: f"{file.parent}/w/link",
    ],
)
def test_a_row_that_names_a_local_file_shows_nothing_of_it(
    tmp_path: Path, spell: Callable[[Path], str]
) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    file = secrets / "database-url"
    file.write_text(SECRET + "\n")
    catalogs = tmp_path / "catalogs"
    (catalogs / "w").mkdir(parents=True)
    (catalogs / "w" / "link").symlink_to(file)
    (secrets / "w").symlink_to(catalogs / "w")
    with row(catalogs, spell(file)) as java, capture_logs() as logs:
        message = refused(java, folders=[catalogs])
    assert "S3cr3t" not in message + str(logs)
    assert "below the connector's warehouse" in message or "FRAZIL_CATALOG_FOLDERS" in message


def test_a_file_that_is_no_metadata_is_not_quoted(tmp_path: Path) -> None:
    with row(tmp_path, tmp_path / "w" / "other") as java, capture_logs() as logs:
        (tmp_path / "w").mkdir()
        (tmp_path / "w" / "other").write_text(SECRET)
        message = refused(java, folders=[tmp_path])
    assert message.endswith("its answer cannot be understood (ValidationError)")
    assert "S3cr3t" not in message + str(logs)


def test_local_files_are_read_in_folders_that_are_allowed_and_nowhere_else(
    metadata: dict[str, Any], tmp_path: Path
) -> None:
    with row(tmp_path, f"file://{tmp_path}/w/m.json") as java:
        (tmp_path / "w").mkdir()
        (tmp_path / "w" / "m.json").write_text(json.dumps(metadata))
        assert read(java, folders=[tmp_path])
        assert "FRAZIL_CATALOG_FOLDERS does not name" in refused(java)
        assert "FRAZIL_CATALOG_FOLDERS does not name" in refused(java, folders=[tmp_path / "w"])


def test_a_packed_file_that_is_huge_is_not_unpacked(
    tmp_path: Path, metadata: dict[str, Any]
) -> None:
    with row(tmp_path, f"{tmp_path}/w/m.gz.metadata.json") as java:
        (tmp_path / "w").mkdir()
        with gzip.open(tmp_path / "w" / "m.gz.metadata.json", "wb", 1) as file:
            file.write(json.dumps(metadata).encode())
            file.write(b" " * 65 * 1024 * 1024)
        assert refused(java, folders=[tmp_path]).endswith("file of the table is too large")


def test_s3_is_read_with_keys_of_the_connector_and_with_no_others(tmp_path: Path) -> None:
    with row(tmp_path, "s3://b/w/m.json") as java, served({}) as store:
        java |= {"warehouse": "s3://b/w", "s3.endpoint": store.url, "s3.region": "us-east-1"}
        assert "need keys of the connector" in refused(java, folders=[tmp_path])
        assert store.requests == []


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    java = {"type": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/new.db", "warehouse": "file:///w"}
    assert "does not exist" in refused(java, folders=[tmp_path])
    assert list(tmp_path.iterdir()) == []


def test_a_database_is_only_read(tmp_path: Path) -> None:
    odd = tmp_path / "a b%20c"
    odd.mkdir()
    with row(odd, odd / "w" / "lost") as java:
        before = (odd / "rows.db").read_bytes()
        assert "a local file of it does not exist" in refused(java, folders=[tmp_path])
        assert (odd / "rows.db").read_bytes() == before
        assert {one.name for one in odd.iterdir()} == {"honest", "rows.db"}


@pytest.mark.parametrize("key", ["uri", "oauth2-server-uri"])
def test_a_name_that_resolves_to_this_machine_is_refused(hostile: Hostile, key: str) -> None:
    port = hostile.url.rpartition(":")[2]
    java = rest(hostile, credential="a:b") | {key: f"http://localhost:{port}"}
    assert "localhost is this machine" in refused(java, ask=Child())
    assert hostile.requests == []


def test_the_reader_inherits_no_secrets(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    with served({}) as other:
        monkeypatch.setenv("http_proxy", other.url)
        monkeypatch.setenv("PYICEBERG_CATALOG__ICEBERG__URI", other.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ambient")
        assert read(rest(hostile), ask=Child())
        assert other.requests == []
