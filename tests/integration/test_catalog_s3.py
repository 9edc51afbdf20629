"""Warehouses in S3: real clients with keys of their own, with lent ones, and with signatures."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.types import StringType
from tests.support import minio as minio_support
from tests.support.catalog_fleet import TABLE, Fleet, write_under_fire
from tests.support.catalog_process import WAREHOUSE, CatalogProcess
from tests.support.catalog_writers import check_chain
from tests.support.lab import wait_until
from tests.support.minio import MinIO
from tests.support.ports import free_port
from tests.support.spark_lake import Story, signed_by, tell

KEYS = """
[spark]
secret = "spark-secret"
write = ["kafkawarehouse"]
[reader]
secret = "reader-secret"
read = ["kafkawarehouse"]
"""
ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "word": ["x", "y", None]})
# Signatures have to do all; keys only what opens files in another way.
SIGNED: Story = (
    ("CREATE NAMESPACE lake.n", None),
    ("CREATE TABLE lake.n.t (id BIGINT, day STRING) USING iceberg PARTITIONED BY (day)", None),
    ("INSERT INTO lake.n.t VALUES (1, 'a'), (2, 'b'), (3, 'ü+%=')", None),
    ("ALTER TABLE lake.n.t ADD COLUMNS (origin STRING)", None),
    ("ALTER TABLE lake.n.t CREATE TAG three", None),
    ("ALTER TABLE lake.n.t CREATE BRANCH side", None),
    ("INSERT INTO lake.n.t.branch_side VALUES (4, 'a', 'x')", None),
    ("CALL lake.system.fast_forward('n.t', 'main', 'side')", None),
    ("UPDATE lake.n.t SET origin = 'y' WHERE id = 1", None),
    ("SELECT count(*) FROM lake.n.t VERSION AS OF 'three'", [[3]]),
    (
        "CALL lake.system.rewrite_data_files(table => 'n.t', "
        "options => map('rewrite-all', 'true'))",
        None,
    ),
    ("ALTER TABLE lake.n.t DROP TAG three", None),
    (
        "CALL lake.system.expire_snapshots(table => 'n.t', retain_last => 1, "
        "older_than => timestamp'2100-01-01 00:00:00')",
        None,
    ),
    (
        "CALL lake.system.remove_orphan_files(table => 'n.t', prefix_listing => true, "
        "older_than => timestamp'2020-01-01 00:00:00')",
        [],
    ),
    ("CREATE TABLE lake.n.copy USING iceberg AS SELECT * FROM lake.n.t", None),
    ("ALTER TABLE lake.n.copy RENAME TO n.moved", None),
    ("DROP TABLE lake.n.moved PURGE", None),
    ("SELECT id, day FROM signed_reader.n.t WHERE id = 3", [[3, "ü+%="]]),
    ("INSERT INTO signed_reader.n.t VALUES (5, 'x', 'x')", "a right to read signs no PUT"),
)
KEYED: Story = (
    ("CREATE NAMESPACE own.keyed", None),
    ("CREATE TABLE own.keyed.t USING iceberg AS SELECT 1 AS id", None),
    ("INSERT INTO own.keyed.t VALUES (2)", None),
    ("SELECT sum(id) FROM vended.keyed.t", [[3]]),
    ("CREATE TABLE vended.keyed.copy USING iceberg AS SELECT * FROM vended.keyed.t", None),
    ("UPDATE vended.keyed.copy SET id = 5 WHERE id = 1", None),
    ("SELECT sum(id) FROM vended_reader.keyed.copy", [[7]]),
    ("INSERT INTO vended_reader.keyed.copy VALUES (6)", "Access Denied"),
    ("DROP TABLE vended.keyed.copy PURGE", None),
)


def on_s3(minio: MinIO, **more: str) -> dict[str, str]:
    root = f"s3://{minio.new_bucket()}"
    return {**minio.settings, "FRAZIL_WAREHOUSE_ROOT": root, "FRAZIL_LOG_LEVEL": "DEBUG", **more}


class Lake:
    """A catalog on MinIO, and what its bucket holds."""

    def __init__(self, folder: Path, minio: MinIO, **settings: str) -> None:
        told = on_s3(minio, **settings)
        self.bucket = told["FRAZIL_WAREHOUSE_ROOT"].removeprefix("s3://")
        self.minio = minio
        self.process = CatalogProcess(folder, KEYS, **told)

    def keys(self, below: str) -> list[str]:
        return self.minio.keys(self.bucket, f"{WAREHOUSE}/{below}/")

    def wait_until_purged(self, *folders: str) -> None:
        """A purge answers first, and deletes then."""
        wait_until("nothing is left", lambda: not any(map(self.keys, folders)), 20)

    def pyiceberg(self) -> Catalog:
        return load_catalog(
            "lake",
            type="rest",
            uri=self.process.uri,
            warehouse=WAREHOUSE,
            **self.minio.properties,
            **{
                "rest.sigv4-enabled": "true",
                "rest.signing-name": "s3tables",
                "rest.signing-region": "us-east-1",
                "client.access-key-id": "spark",
                "client.secret-access-key": "spark-secret",
            },
        )


@pytest.fixture(scope="module")
def lake(minio: MinIO, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    lends = {"FRAZIL_VEND_CREDENTIALS": "session", "FRAZIL_SIGN_REQUESTS": "session"}
    lake = Lake(tmp_path_factory.mktemp("catalog"), minio, **lends)
    try:
        lake.process.wait()
        yield lake
    finally:
        lake.process.close()


def test_spark_works_with_signatures_with_lent_keys_and_with_its_own(lake: Lake) -> None:
    def opened_by(key: str, asked: str = "", **more: str) -> dict[str, str]:
        s3 = {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO"}
        header = {"header.X-Iceberg-Access-Delegation": asked} if asked else {}
        return signed_by(key, lake.process.uri, **s3, **header, **more)

    catalogs = {
        "lake": opened_by("spark", "remote-signing"),
        "signed_reader": opened_by("reader", "remote-signing"),
        "vended": opened_by("spark", "vended-credentials"),
        "vended_reader": opened_by("reader", "vended-credentials"),
        "own": opened_by("spark", **lake.minio.properties),
    }
    tell(catalogs, SIGNED + KEYED)
    lake.wait_until_purged("n/copy", "keyed/copy")
    said = lake.process.log.read_text()
    assert lake.minio.secret_key not in said
    assert "SecretAccessKey" not in said


def test_pyiceberg_does_what_people_do_with_tables(lake: Lake) -> None:
    catalog = lake.pyiceberg()
    catalog.create_namespace("people")
    table = catalog.create_table("people.t", ROWS.schema)
    table.append(ROWS)
    with table.update_schema() as schema:
        schema.add_column("more", StringType())
    first = table.current_snapshot()
    assert first is not None
    table.manage_snapshots().create_branch(first.snapshot_id, "side").create_tag(
        first.snapshot_id, "v1"
    ).commit()
    table.append(ROWS.append_column("more", pa.array(["1", "2", "3"])), branch="side")
    with catalog.create_table_transaction("people.staged", ROWS.schema) as transaction:
        transaction.append(ROWS)
    catalog.rename_table("people.staged", "people.moved")
    assert catalog.load_table("people.moved").scan().to_arrow().num_rows == 3
    fresh = catalog.load_table("people.t")
    assert fresh.scan().to_arrow().num_rows == 3
    assert fresh.scan(snapshot_id=fresh.refs()["side"].snapshot_id).to_arrow().num_rows == 6
    assert lake.keys("people/staged")
    catalog.purge_table("people.moved")
    catalog.purge_table("people.t")
    lake.wait_until_purged("people")


def test_writers_side_by_side_lose_nothing(lake: Lake) -> None:
    lake.pyiceberg().create_namespace("many")
    lake.pyiceberg().create_table("many.t", ROWS.schema)

    def append(_writer: int) -> None:
        table = lake.pyiceberg().load_table("many.t")
        for _ in range(20):
            try:
                return table.append(ROWS)
            except CommitFailedException:
                table.refresh()
        raise AssertionError("20 conflicts in a row")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(append, range(4)))
    assert lake.pyiceberg().load_table("many.t").scan().to_arrow().num_rows == 12


def test_kills_lose_nothing_that_is_in_s3(minio: MinIO, tmp_path: Path) -> None:
    settings = on_s3(minio, FRAZIL_DATABASE_URL=f"sqlite:///{tmp_path / 'shared.db'}")
    with ExitStack() as stack:
        fleet = Fleet(tmp_path, 2, **settings)
        stack.callback(fleet.close)
        fleet.begin()
        memories = write_under_fire(fleet, writers=4, seconds=8)
        metadata = fleet.metadata()
    assert sum(len(memory.acknowledged) for memory in memories) > 8
    check_chain(metadata, memories)
    for entry in metadata["metadata-log"]:
        bucket, _, key = entry["metadata-file"].removeprefix("s3://").partition("/")
        assert minio.client().get_object(Bucket=bucket, Key=key)["Body"].read().endswith(b"}")


def test_it_does_not_start_without_a_store_that_it_may_use(minio: MinIO, tmp_path: Path) -> None:
    good, nobody = on_s3(minio), f"http://127.0.0.1:{free_port()}"
    place = f"{good['FRAZIL_WAREHOUSE_ROOT']}/{WAREHOUSE}"
    reasons = {
        f"the store refuses {place}: SignatureDoesNotMatch": {"FRAZIL_S3_SECRET_KEY": "another"},
        f"the store cannot be asked for {place}: Could not": {"FRAZIL_S3_ENDPOINT": nobody},
    }
    started = [
        CatalogProcess(tmp_path / name, KEYS, **good | wrong)
        for name, wrong in zip("ab", reasons.values(), strict=True)
    ]
    for process, reason in zip(started, reasons, strict=True):
        try:
            assert process.wait_for_end(60) == 1
        finally:
            process.close()
        assert f"The catalog cannot start: {reason}" in process.log.read_text()


def test_a_store_that_goes_away_is_told_and_nothing_is_done(tmp_path: Path) -> None:
    program = minio_support.find_program()
    if program is None:
        pytest.skip("there is no MinIO")
    change = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
    with ExitStack() as stack:
        with minio_support.running(program, tmp_path) as minio:
            fleet = Fleet(tmp_path, 1, **on_s3(minio))
            stack.callback(fleet.close)
            fleet.begin()
            before = fleet.metadata()
        health = httpx.get(f"{fleet.members[0].url}/health", trust_env=False, timeout=60)
        assert health.status_code == 503
        assert "cannot be asked" in health.json()["files"]
        answer = httpx.post(fleet.urls[0] + TABLE, json=change, trust_env=False, timeout=60)
        assert answer.status_code == 503
        assert answer.json()["error"]["type"] == "ServiceUnavailableException"
        assert fleet.metadata() == before
