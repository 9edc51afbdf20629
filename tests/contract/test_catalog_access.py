"""PyIceberg, signing, on our catalog: keys, rights and names that are hard to sign."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import CommitFailedException, ForbiddenError
from pyiceberg.types import StringType
from tests.support.served import served

from frazil.table_catalog.app import create_app
from frazil.table_catalog.settings import Settings

WAREHOUSE = "kafkawarehouse"
KEYS = """
[sink]
secret = "sink-secret"
write = ["kafkawarehouse"]
[reader]
secret = "reader-secret"
read = ["kafkawarehouse/streaming"]
"""
NAMESPACE = ("streaming", "grün & blau")
TABLE = (*NAMESPACE, "a b+c~d%41")
ROWS = pa.table({"id": [1, 2, 3], "bucket": ["a", "b", None]})


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("catalog")
    keys = folder / "keys.toml"
    keys.touch(mode=0o600)
    keys.write_text(KEYS)
    settings = Settings(
        keys=keys,
        database_url=f"sqlite:///{folder / 'catalog.db'}",
        warehouse_root=(folder / "warehouses").as_uri(),
        warehouses=(WAREHOUSE,),
        oauth=True,
    )
    with served(create_app(settings)) as address:
        yield f"{address}/_iceberg"


def connect(uri: str, **properties: str) -> Catalog:
    return load_catalog("lake", type="rest", uri=uri, warehouse=WAREHOUSE, **properties)


def signing(uri: str, key: str, secret: str | None = None, name: str = "s3tables") -> Catalog:
    properties = {
        "rest.sigv4-enabled": "true",
        "rest.signing-name": name,
        "rest.signing-region": "anywhere",
        "client.access-key-id": key,
        "client.secret-access-key": secret or f"{key}-secret",
    }
    return connect(uri, **properties)


@pytest.fixture(scope="module")
def sink(uri: str) -> Catalog:
    catalog = signing(uri, "sink")
    catalog.create_namespace(NAMESPACE[:1])
    catalog.create_namespace(NAMESPACE)
    catalog.create_table(TABLE, ROWS.schema).append(ROWS)
    return catalog


def test_names_that_are_hard_to_sign_are_found_again(sink: Catalog) -> None:
    assert sink.list_namespaces(NAMESPACE[:1]) == [NAMESPACE]
    assert sink.list_tables(NAMESPACE) == [TABLE]
    assert sink.table_exists(TABLE)
    table = sink.load_table(TABLE)
    assert table.scan().to_arrow().num_rows == 3
    assert Path(table.metadata_location.removeprefix("file://")).exists()


def test_a_table_evolves_and_gets_branches_and_tags(sink: Catalog) -> None:
    table = sink.create_table("streaming.t", ROWS.schema)
    table.append(ROWS, snapshot_properties={"frazil.batch-id": "7"})
    with table.update_schema() as update:
        update.add_column("more", StringType())
    first = table.current_snapshot()
    assert first is not None
    table.manage_snapshots().create_branch(first.snapshot_id, "staging").commit()
    table.manage_snapshots().create_tag(first.snapshot_id, "v1").commit()
    table.append(ROWS, branch="staging")
    found = sink.load_table("streaming.t")
    assert set(found.refs()) == {"main", "staging", "v1"}
    assert found.schema().column_names == ["id", "bucket", "more"]
    snapshot = found.current_snapshot()
    assert snapshot is not None
    assert snapshot.summary is not None
    assert snapshot.summary["frazil.batch-id"] == "7"


def test_a_staged_table_is_there_with_its_first_commit(sink: Catalog) -> None:
    with sink.create_table_transaction("streaming.staged", ROWS.schema) as transaction:
        assert not sink.table_exists("streaming.staged")
        transaction.append(ROWS)
    assert sink.load_table("streaming.staged").scan().to_arrow().num_rows == 3
    sink.rename_table("streaming.staged", "streaming.renamed")
    sink.purge_table("streaming.renamed")
    assert not sink.table_exists("streaming.renamed")


def test_of_two_commits_on_one_state_the_second_is_refused(sink: Catalog) -> None:
    sink.create_table("streaming.contended", ROWS.schema)
    one, other = (sink.load_table("streaming.contended") for _ in range(2))
    with one.update_schema() as update:
        update.add_column("mine", StringType())
    with pytest.raises(CommitFailedException), other.update_schema() as update:
        update.add_column("yours", StringType())


@pytest.mark.parametrize(
    ("key", "secret", "name", "why"),
    [
        ("nobody", None, "s3tables", "the access key is not known: nobody"),
        ("sink", "another-secret", "s3tables", "the signature does not match"),
        ("sink", None, "execute-api", "signed for another service: execute-api"),
    ],
)
def test_who_signs_otherwise_is_told_why_not(
    uri: str, key: str, secret: str | None, name: str, why: str
) -> None:
    with pytest.raises(ForbiddenError, match=why):
        signing(uri, key, secret, name)


def test_a_reader_reads_and_does_no_more(uri: str, sink: Catalog) -> None:
    reader = signing(uri, "reader")
    assert reader.load_table(TABLE).scan().to_arrow().num_rows == 3
    with pytest.raises(ForbiddenError, match="reader has no right to write kafkawarehouse/stream"):
        reader.drop_table(TABLE)
    with pytest.raises(ForbiddenError, match="reader has no right to read kafkawarehouse/other"):
        reader.list_tables("other")
    assert sink.table_exists(TABLE)


def test_a_client_that_does_not_sign_works_with_a_token(uri: str, sink: Catalog) -> None:
    credential = {
        "credential": "reader:reader-secret",
        "oauth2-server-uri": f"{uri}/v1/oauth/tokens",
    }
    assert connect(uri, **credential).table_exists(TABLE)
    assert sink.table_exists(TABLE)
