"""A sink with its catalog in PostgreSQL and its warehouse on S3, in the words of its example."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiokafka.admin import NewTopic
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType
from tests.support import minio as minio_support
from tests.support.lab import PARTITIONS, Lab, wait_until
from tests.support.minio import MinIO
from tests.support.postgresql import PostgreSQL

from frazil.contracts.plugins import find_plugin
from frazil.contracts.plugins.iceberg_catalog import catalog_name, catalog_properties
from frazil.control_api.core.proof import TableSource
from frazil.control_api.tables.reader import TableReader

SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "bucket", StringType()),
)
NAME = "iceberg_catalog"
BUCKET = "iceberg-warehouse"


class JdbcLab(Lab):
    """A connector as it is published for Kafka Connect; nothing but hosts and topic is changed."""

    database_url: str

    def _new_topic(self) -> NewTopic:
        # Of the library for this compression we bring another version than Spark does.
        return NewTopic(self.topic, PARTITIONS, 1, topic_configs={"compression.type": "lz4"})

    @property
    def config(self) -> dict[str, str]:
        return {
            "name": "iceberg-sink",
            "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
            "tasks.max": "3",
            "topics": self.topic,
            "iceberg.control.topic": "iceberg-control-topic",
            "iceberg.control.group-id": "my-iceberg-job",
            "iceberg.catalog.name": NAME,
            "iceberg.catalog.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
            "iceberg.catalog.uri": f"jdbc:postgresql://{self.database_url.rpartition('@')[2]}",
            "iceberg.catalog.jdbc.user": "frazil",
            "iceberg.catalog.jdbc.password": "hunter2",
            "iceberg.catalog.warehouse": f"s3://{BUCKET}/",
            "iceberg.tables": "db.table",
        }


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MinIO]:
    """A store as it is by default, its region too."""
    program = minio_support.find_program()
    if program is None:
        pytest.skip("there is no MinIO, neither on the PATH nor built by deploy/airgap/minio.sh")
    folder = tmp_path_factory.mktemp("minio")
    with minio_support.running(program, folder, region="us-east-1") as server:
        server.client().create_bucket(Bucket=BUCKET)
        yield server


@pytest.fixture
def jdbc_lab(
    tmp_path: Path, bootstrap_servers: str, postgresql: PostgreSQL, store: MinIO
) -> Iterator[JdbcLab]:
    lab = JdbcLab(tmp_path, bootstrap_servers, topic="my-topic")
    lab.database_url = postgresql.new_database()
    # Where the store is, and who may enter: the configuration says nothing of that.
    lab.environment = {
        "AWS_ENDPOINT_URL_S3": store.endpoint,
        "AWS_ACCESS_KEY_ID": store.access_key,
        "AWS_SECRET_ACCESS_KEY": store.secret_key,
        "AWS_REGION": "",
    }
    yield lab
    lab.close()


def test_rows_get_into_a_table_of_a_catalog_in_postgresql(jdbc_lab: JdbcLab, store: MinIO) -> None:
    uri = jdbc_lab.database_url.replace("postgresql:", "postgresql+psycopg:")
    properties = {"uri": uri, "warehouse": f"s3://{BUCKET}", **store.properties}
    with SqlCatalog(NAME, **properties) as catalog:
        catalog.create_namespace("db")
        catalog.create_table("db.table", SCHEMA)
        jdbc_lab.produce(range(100))
        worker = jdbc_lab.start(1)
        wait_until("the rows", lambda: worker.commits > 0 or not worker.is_alive())
        assert worker.is_running(), worker.trace
        found = catalog.load_table("db.table").scan().to_arrow()
    assert sorted(found["id"].to_pylist()) == [*range(100)]
    assert worker.stop() == 0
    assert ledger_end(jdbc_lab, store) == 100


def ledger_end(lab: JdbcLab, store: MinIO) -> int:
    """Read from the table how many records it has, as the control API does."""
    # It has no environment of the store's, so the connector's own keys have to say it all.
    known = {f"iceberg.catalog.{key}": text for key, text in store.properties.items()}
    config = find_plugin(lab.config["connector.class"]).parse(lab.config | known)
    source = TableSource(
        "lab", catalog_name(config), catalog_properties(config), {"db.table": "main"}
    )
    reader = TableReader(hosts=("*", "127.0.0.1"))
    (history,) = asyncio.run(reader.histories(source))
    (entry,) = [entry for entry in history.entries if entry.ledger]
    assert entry.ledger
    return sum(entry.ledger.end[lab.topic].values())
