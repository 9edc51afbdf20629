"""Spark with Iceberg's own client, signing: what people do with tables, on our catalog."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.catalog_process import CatalogProcess
from tests.support.spark_lake import Story, run_spark, signed_by, tell

KEYS = """
[spark]
secret = "spark-secret"
write = ["kafkawarehouse"]
[reader]
secret = "reader-secret"
read = ["kafkawarehouse"]
"""
STORY: Story = (
    ("CREATE NAMESPACE lake.streaming", None),
    (
        "CREATE TABLE lake.streaming.events (id BIGINT NOT NULL, bucket STRING) USING iceberg "
        "PARTITIONED BY (bucket)",
        None,
    ),
    ("INSERT INTO lake.streaming.events VALUES (1, 'a'), (2, 'b'), (3, NULL)", None),
    ("INSERT INTO lake.streaming.events VALUES (4, 'a')", None),
    ("ALTER TABLE lake.streaming.events ADD COLUMNS (origin STRING)", None),
    ("ALTER TABLE lake.streaming.events ADD PARTITION FIELD truncate(2, origin)", None),
    ("ALTER TABLE lake.streaming.events CREATE TAG four", None),
    ("ALTER TABLE lake.streaming.events CREATE BRANCH staging", None),
    ("INSERT INTO lake.streaming.events.branch_staging VALUES (5, 'c', 'x')", None),
    ("SELECT count(*) FROM lake.streaming.events", [[4]]),
    ("CALL lake.system.fast_forward('streaming.events', 'main', 'staging')", None),
    ("SELECT count(*) FROM lake.streaming.events", [[5]]),
    ("UPDATE lake.streaming.events SET origin = 'y' WHERE id = 1", None),
    ("DELETE FROM lake.streaming.events WHERE id = 3", None),
    (
        "SELECT id, origin FROM lake.streaming.events WHERE bucket = 'a' ORDER BY id",
        [[1, "y"], [4, None]],
    ),
    ("SELECT count(*) FROM lake.streaming.events VERSION AS OF 'four'", [[4]]),
    (
        "CALL lake.system.rewrite_data_files(table => 'streaming.events', "
        "options => map('rewrite-all', 'true'))",
        None,
    ),
    ("ALTER TABLE lake.streaming.events DROP TAG four", None),
    ("ALTER TABLE lake.streaming.events DROP BRANCH staging", None),
    (
        "CALL lake.system.expire_snapshots(table => 'streaming.events', retain_last => 1, "
        "older_than => timestamp'2100-01-01 00:00:00')",
        None,
    ),
    ("SELECT count(*) FROM lake.streaming.events.snapshots", [[1]]),
    ("CREATE TABLE lake.streaming.copy USING iceberg AS SELECT * FROM lake.streaming.events", None),
    ("ALTER TABLE lake.streaming.copy RENAME TO streaming.moved", None),
    ("SELECT count(*) FROM lake.streaming.moved", [[4]]),
    ("SHOW TABLES IN lake.streaming", None),
    ("DROP TABLE lake.streaming.moved PURGE", None),
    ("SELECT sum(id) FROM lake.streaming.events", [[12]]),
)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[CatalogProcess]:
    catalog = CatalogProcess(tmp_path / "catalog", KEYS)
    try:
        catalog.wait()
        yield catalog
    finally:
        catalog.close()


def test_spark_does_all_that_people_do_with_tables(catalog: CatalogProcess) -> None:
    tell({"lake": signed_by("spark", catalog.uri)}, STORY)
    catalog.close()
    # The files of the purged table are gone: what is left are sums that Hadoop keeps beside them.
    assert [file for file in catalog.files("streaming/copy") if file.suffix != ".crc"] == []


def test_spark_is_told_why_it_may_not(catalog: CatalogProcess) -> None:
    lake = {"lake": signed_by("reader", catalog.uri)}
    (answer,) = run_spark(lake, "CREATE NAMESPACE lake.streaming")
    assert "reader has no right to write kafkawarehouse/streaming" in answer
