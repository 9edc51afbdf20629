"""Trino, signing, as a client of our catalog: alone, and beside PyIceberg on the same tables."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from tests.support.catalog_process import WAREHOUSE, CatalogProcess
from tests.support.lab import wait_until
from tests.support.minio import REGION, MinIO
from tests.support.spark_lake import Story
from tests.support.trino import Trino, running, signed_by
from trino.exceptions import TrinoQueryError

# The first test may have to load Trino.
pytestmark = pytest.mark.timeout(600)
KEYS = """
[trino]
secret = "trino-secret"
write = ["kafkawarehouse"]
[reader]
secret = "reader-secret"
read = ["kafkawarehouse"]
"""
MERGE = """
MERGE INTO lake.story.events e USING (VALUES (1, 'y'), (5, 'z')) AS s (id, origin) ON e.id = s.id
WHEN MATCHED THEN UPDATE SET origin = s.origin
WHEN NOT MATCHED THEN INSERT (id, origin) VALUES (s.id, s.origin)
"""
STORY: Story = (
    ("CREATE SCHEMA lake.story", None),
    (
        "CREATE TABLE lake.story.events (id INTEGER NOT NULL, bucket VARCHAR, r ROW(a BIGINT)) "
        "WITH (partitioning = ARRAY['bucket'], sorted_by = ARRAY['id'])",
        None,
    ),
    ("INSERT INTO lake.story.events VALUES (1, 'a', ROW(1)), (2, NULL, NULL)", [[2]]),
    ("ALTER TABLE lake.story.events ADD COLUMN cause VARCHAR", None),
    ("ALTER TABLE lake.story.events RENAME COLUMN cause TO origin", None),
    ("ALTER TABLE lake.story.events ADD COLUMN r.b VARCHAR", None),
    ("ALTER TABLE lake.story.events ALTER COLUMN id SET DATA TYPE BIGINT", None),
    ("COMMENT ON COLUMN lake.story.events.origin IS 'who asked'", None),
    (
        "ALTER TABLE lake.story.events SET PROPERTIES "
        "partitioning = ARRAY['bucket', 'bucket(id, 4)'], format = 'ORC'",
        None,
    ),
    ("INSERT INTO lake.story.events VALUES (3, 'a', ROW(3, 'x'), 'n'), (4, 'b', NULL, 'n')", None),
    ("UPDATE lake.story.events SET origin = 'x' WHERE id = 1", [[1]]),
    ("DELETE FROM lake.story.events WHERE id = 4", [[1]]),
    (MERGE, [[2]]),
    (
        "SELECT id, bucket, r.b, origin FROM lake.story.events ORDER BY id",
        [[1, "a", None, "y"], [2, None, None, None], [3, "a", "x", "n"], [5, None, None, "z"]],
    ),
    (
        'SELECT operation, count(*) FROM lake.story."events$snapshots" GROUP BY 1 ORDER BY 1',
        [["append", 3], ["delete", 1], ["overwrite", 2]],
    ),
    ('SELECT sum(record_count) FROM lake.story."events$partitions"', [[7]]),
    ("ALTER TABLE lake.story.events EXECUTE optimize", None),
    ('SELECT sum(record_count) FROM lake.story."events$partitions"', [[4]]),
    ("ANALYZE lake.story.events", None),
    ('SELECT count(*) FROM lake.story."events$files" WHERE content <> 0', [[0]]),
    ("ALTER TABLE lake.story.events EXECUTE expire_snapshots(retention_threshold => '0s')", None),
    # Such as the statistics that ANALYZE has replaced.
    (
        "ALTER TABLE lake.story.events EXECUTE remove_orphan_files(retention_threshold => '0s')",
        None,
    ),
    ('SELECT count(*) FROM lake.story."events$snapshots"', [[1]]),
    # Staged: the catalog hears of it once the rows are written.
    ("CREATE TABLE lake.story.copy AS SELECT * FROM lake.story.events", [[4]]),
    ("CREATE OR REPLACE TABLE lake.story.copy AS SELECT 7 AS id", [[1]]),
    ("ALTER TABLE lake.story.copy RENAME TO lake.story.moved", None),
    ("SELECT * FROM lake.story.moved", [[7]]),
    ("SELECT sum(id) FROM lake.story.events", [[11]]),
    ("CREATE VIEW lake.story.seen AS SELECT id FROM lake.story.events", None),
    ("CREATE OR REPLACE VIEW lake.story.seen AS SELECT -id AS n FROM lake.story.events", None),
    ("ALTER VIEW lake.story.seen RENAME TO lake.story.view", None),
    ("SELECT min(n) FROM lake.story.view", [[-5]]),
    ("SHOW TABLES FROM lake.story", [["events"], ["moved"], ["view"]]),
    ("DROP VIEW lake.story.view", None),
    ("DROP TABLE lake.story.moved", None),
    ("SHOW TABLES FROM lake.story", [["events"]]),
)
STORY_IN_S3: Story = (
    ("CREATE SCHEMA remote.store", None),
    ("CREATE TABLE remote.store.t AS SELECT n FROM UNNEST(sequence(1, 10)) AS s (n)", [[10]]),
    ("DELETE FROM remote.store.t WHERE n > 8", [[2]]),
    ("SELECT count(*), sum(n) FROM remote.store.t", [[8, 36]]),
    ("ALTER TABLE remote.store.t EXECUTE optimize", None),
    ("DROP TABLE remote.store.t", None),
)


def tell(trino: Trino, story: Story) -> None:
    for statement, expected in story:
        answer = trino.run(statement)
        assert expected is None or answer == expected, statement


@pytest.fixture(scope="module")
def trino(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trino]:
    with running(tmp_path_factory.mktemp("trino")) as trino:
        yield trino


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CatalogProcess]:
    catalog = CatalogProcess(tmp_path_factory.mktemp("catalog"), KEYS)
    try:
        catalog.wait()
        yield catalog
    finally:
        catalog.close()


@pytest.fixture(scope="module")
def lake(trino: Trino, catalog: CatalogProcess) -> Iterator[Trino]:
    with trino.catalog("lake", signed_by("trino", catalog.uri)):
        yield trino


@pytest.fixture
def pyiceberg(catalog: CatalogProcess) -> Catalog:
    return load_catalog(
        "lake",
        **{
            "type": "rest",
            "uri": catalog.uri,
            "warehouse": WAREHOUSE,
            "rest.sigv4-enabled": "true",
            "rest.signing-name": "s3tables",
            "rest.signing-region": "us-east-1",
            "client.access-key-id": "trino",
            "client.secret-access-key": "trino-secret",
        },
    )


def test_trino_does_all_that_people_do_with_tables(lake: Trino, catalog: CatalogProcess) -> None:
    tell(lake, STORY)
    lake.run("DROP SCHEMA lake.story CASCADE")

    def left() -> list[Path]:
        # A view's metadata stay, as nobody asks for them to be deleted.
        return [file for file in catalog.files("story") if "/seen-" not in str(file)]

    wait_until("the tables' files are gone", lambda: not left(), 10)


def test_rows_of_pyiceberg_are_read_by_trino(lake: Trino, pyiceberg: Catalog) -> None:
    pyiceberg.create_namespace("read")
    rows = pa.table({"id": pa.array([1, 2], pa.int64()), "bucket": ["a", None]})
    table = pyiceberg.create_table("read.t", rows.schema)
    table.append(rows)
    first = table.current_snapshot()
    assert first is not None
    table.manage_snapshots().create_tag(first.snapshot_id, "two").create_branch(
        first.snapshot_id, "staging"
    ).commit()
    table.append(rows, branch="staging")
    table.append(rows)
    table.append(rows)

    def count(version: str) -> object:
        return lake.run(f"SELECT count(*) FROM lake.read.t {version}")[0][0]

    assert count("") == 6
    assert count("FOR VERSION AS OF 'two'") == 2
    assert count("FOR VERSION AS OF 'staging'") == 4
    assert count(f"FOR VERSION AS OF {first.snapshot_id}") == 2
    lake.run("ALTER TABLE lake.read.t EXECUTE expire_snapshots(retention_threshold => '0s')")
    assert count("FOR VERSION AS OF 'two'") == 2


def test_rows_of_trino_are_read_by_pyiceberg(lake: Trino, pyiceberg: Catalog) -> None:
    lake.run("CREATE SCHEMA lake.written")
    lake.run("CREATE TABLE lake.written.t AS SELECT n FROM UNNEST(sequence(1, 100)) AS s (n)")
    lake.run("DELETE FROM lake.written.t WHERE n % 2 = 0")
    lake.run("ALTER TABLE lake.written.t ADD COLUMN word VARCHAR")
    lake.run("INSERT INTO lake.written.t VALUES (101, 'x')")
    read = pyiceberg.load_table("written.t").scan().to_arrow()
    assert sorted(read["n"].to_pylist()) == list(range(1, 102, 2))
    assert read["word"].to_pylist().count("x") == 1


def test_files_that_no_table_knows_are_removed(lake: Trino, pyiceberg: Catalog) -> None:
    lake.run("CREATE SCHEMA lake.orphans")
    lake.run("CREATE TABLE lake.orphans.t AS SELECT 1 AS id")
    folder = Path(pyiceberg.load_table("orphans.t").location().removeprefix("file://"))
    orphan = folder / "data" / "orphan.parquet"
    orphan.touch()
    lake.run("ALTER TABLE lake.orphans.t EXECUTE remove_orphan_files(retention_threshold => '0s')")
    assert not orphan.exists()
    assert lake.run("SELECT * FROM lake.orphans.t") == [[1]]


def test_trino_and_pyiceberg_write_at_once_and_nothing_is_lost(
    lake: Trino, pyiceberg: Catalog
) -> None:
    lake.run("CREATE SCHEMA lake.busy")
    lake.run("CREATE TABLE lake.busy.t (who VARCHAR, n BIGINT) WITH (max_commit_retry = 50)")

    def insert(number: int) -> None:
        lake.run(f"INSERT INTO lake.busy.t VALUES ('trino', {number})")

    def append(number: int) -> None:
        row = pa.table({"who": ["pyiceberg"], "n": pa.array([number], pa.int64())})
        pyiceberg.load_table("busy.t").append(row)

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(write, number) for number in range(10) for write in (insert, append)]
    assert [one.exception() for one in done] == [None] * 20
    expected = [["pyiceberg", 10, 10], ["trino", 10, 10]]
    counted = "SELECT who, count(*), count(DISTINCT n) FROM lake.busy.t GROUP BY 1 ORDER BY 1"
    assert lake.run(counted) == expected
    # One for CREATE TABLE, which commits an empty one.
    assert len(pyiceberg.load_table("busy.t").history()) == 21


def test_a_wrong_secret_is_refused_with_a_reason(trino: Trino, catalog: CatalogProcess) -> None:
    wrong = signed_by("trino", catalog.uri) | {"s3.aws-secret-key": "another"}
    with (
        trino.catalog("wrong", wrong),
        pytest.raises(TrinoQueryError, match="signature does not match: the secret is another"),
    ):
        trino.run("SHOW SCHEMAS FROM wrong")


def test_who_may_only_read_is_told_so(
    lake: Trino, trino: Trino, catalog: CatalogProcess, pyiceberg: Catalog
) -> None:
    lake.run("CREATE SCHEMA lake.kept")
    lake.run("CREATE TABLE lake.kept.t AS SELECT 1 AS id")
    with trino.catalog("reading", signed_by("reader", catalog.uri)):
        assert trino.run("SELECT * FROM reading.kept.t") == [[1]]
        with pytest.raises(
            TrinoQueryError, match="reader has no right to write kafkawarehouse/kept"
        ):
            trino.run("INSERT INTO reading.kept.t VALUES 2")
    assert pyiceberg.load_table("kept.t").scan().to_arrow().num_rows == 1


@pytest.mark.parametrize("own_keys", [True, False], ids=["own keys", "keys lent by the catalog"])
def test_tables_may_be_in_s3(trino: Trino, minio: MinIO, tmp_path: Path, own_keys: bool) -> None:
    bucket = minio.new_bucket()
    pair = f"[{minio.access_key}]\nsecret = '{minio.secret_key}'\nwrite = ['*']"
    settings = {"FRAZIL_WAREHOUSE_ROOT": f"s3://{bucket}", "FRAZIL_VEND_CREDENTIALS": "session"}
    catalog = CatalogProcess(tmp_path, KEYS + pair, **minio.settings, **settings)
    try:
        catalog.wait()
        who = _with_own_keys(minio) if own_keys else _with_keys_of_the_catalog()
        with trino.catalog("remote", signed_by("trino", catalog.uri) | _at(minio) | who):
            tell(trino, STORY_IN_S3)
    finally:
        # What it deletes after its answers is deleted then.
        catalog.close()
    assert minio.keys(bucket) == []


def _at(minio: MinIO) -> dict[str, str]:
    return {
        "s3.endpoint": minio.endpoint,
        "s3.region": REGION,
        "s3.path-style-access": "true",
    }


def _with_own_keys(minio: MinIO) -> dict[str, str]:
    # Trino has one pair: it signs with it, and opens files with it.
    return {"s3.aws-access-key": minio.access_key, "s3.aws-secret-key": minio.secret_key}


def _with_keys_of_the_catalog() -> dict[str, str]:
    return {"iceberg.rest-catalog.vended-credentials-enabled": "true"}
