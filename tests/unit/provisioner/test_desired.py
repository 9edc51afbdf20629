"""The file: the one of the local stack, and everything that is refused with a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyiceberg.schema import assign_fresh_schema_ids
from tests.support.local_state import LOCAL, local_state

from frazil.provisioner.desired import DesiredState, Part, load
from frazil.provisioner.errors import InvalidDesiredStateError, MissingValuesError

ROOT = LOCAL.parents[2]
# What people have written for AIStor and Kafka Connect. Credentials are not in it.
AISTOR = {
    "connector.class": "io.tabular.iceberg.connect.IcebergSinkConnector",
    "tasks.max": "2",
    "iceberg.tables.auto-create-enabled": "false",
    "iceberg.tables.evolve-schema-enabled": "true",
    "iceberg.catalog.type": "rest",
    "iceberg.catalog.uri": "http://minio:9000/_iceberg",
    "iceberg.catalog.warehouse": "kafkawarehouse",
    "iceberg.catalog.rest.sigv4-enabled": "true",
    "iceberg.catalog.rest.signing-name": "s3tables",
    "iceberg.catalog.rest.signing-region": "us-east-1",
    "iceberg.catalog.s3.endpoint": "http://minio:9000",
    "iceberg.catalog.s3.path-style-access": "true",
    "iceberg.control.topic": "control-iceberg",
    "iceberg.control.commit.interval-ms": "10000",
    "iceberg.control.commit.timeout-ms": "60000",
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "false",
}
SECRET = "${dir:/data/keys:catalog.secret}"  # noqa: S105
CREDENTIALS = {
    "iceberg.catalog.client.region": "us-east-1",
    "iceberg.catalog.rest.access-key-id": "minioadmin",
    "iceberg.catalog.rest.secret-access-key": SECRET,
    "iceberg.catalog.s3.access-key-id": "minioadmin",
    "iceberg.catalog.s3.secret-access-key": SECRET,
}


def written(folder: Path, document: Any) -> Path:
    file = folder / "desired.yaml"
    file.write_text(yaml.safe_dump(document))
    return file


def complaint(folder: Path, document: Any, values: dict[str, str] | None = None) -> str:
    with pytest.raises(InvalidDesiredStateError) as raised:
        load(written(folder, document), values or {})
    return str(raised.value)


@pytest.fixture(scope="module")
def local() -> DesiredState:
    return local_state()


def test_the_local_stack_has_its_topics(local: DesiredState) -> None:
    assert local.kafka
    assert {t.name: t.partitions for t in local.kafka.topics} == {
        "apilogs": 3,
        "errorlogs": 3,
        "auditlogs": 3,
        "control-iceberg": 1,
    }


def test_the_local_stack_has_a_connector_for_each_table(local: DesiredState) -> None:
    assert local.connect
    assert local.catalog
    tables = [table.name for table in local.catalog.tables]
    connectors = local.connect.connectors
    assert [c.config["iceberg.tables"] for c in connectors] == tables
    assert [c.name for c in connectors] == [
        f"iceberg-sink-{c.config['topics']}" for c in connectors
    ]
    assert all(f"streaming.{c.config['topics']}" == c.config["iceberg.tables"] for c in connectors)


def test_connectors_of_the_local_stack_differ_in_topic_and_table_only(local: DesiredState) -> None:
    assert local.connect
    own = ("topics", "iceberg.tables")
    rest = [{k: v for k, v in c.config.items() if k not in own} for c in local.connect.connectors]
    assert rest[0] == rest[1] == rest[2]


def test_connectors_of_the_local_stack_are_those_for_aistor(local: DesiredState) -> None:
    assert local.connect
    own = {"topics": "apilogs", "iceberg.tables": "streaming.apilogs"}
    assert local.connect.connectors[0].config == AISTOR | CREDENTIALS | own


def test_declared_field_ids_are_those_that_a_catalog_assigns(local: DesiredState) -> None:
    assert local.catalog
    for table in local.catalog.tables:
        schema = table.definition.table_schema
        assert assign_fresh_schema_ids(schema) == schema


def test_declared_tables_are_partitioned_by_day_and_require_only_time(local: DesiredState) -> None:
    assert local.catalog
    specs = {}
    for table in local.catalog.tables:
        schema = table.definition.table_schema
        specs[table.definition.name] = [
            (str(f.transform), schema.find_column_name(f.source_id))
            for f in table.definition.partition_spec.fields
        ]
        assert [f.name for f in schema.fields if f.required] == ["time"]
        assert table.definition.properties["format-version"] == "2"
        assert table.definition.properties["write.parquet.compression-codec"] == "zstd"
    assert specs == {
        "apilogs": [("day", "time"), ("identity", "bucket")],
        "errorlogs": [("day", "time")],
        "auditlogs": [("day", "time"), ("identity", "category")],
    }


def test_missing_values_are_all_named() -> None:
    with pytest.raises(
        MissingValuesError,
        match="CATALOG_URL, CATALOG_ACCESS_KEY, CATALOG_SECRET_KEY, CATALOG_KEYS",
    ) as raised:
        load(LOCAL, {"KAFKA_BOOTSTRAP_SERVERS": "a:1", "CONNECT_URL": "http://a"})
    assert "--set NAME=VALUE" in str(raised.value)


def test_a_part_asks_only_for_its_own_values() -> None:
    found = load(LOCAL, {"KAFKA_BOOTSTRAP_SERVERS": "a:1"}, parts=[Part.TOPICS])
    assert found.kafka
    assert found.catalog is None
    assert found.connect is None


def test_yaml_numbers_and_booleans_become_text_as_on_the_wire(tmp_path: Path) -> None:
    config = {"tasks.max": 2, "evolve": True, "ratio": 0.5}
    document = {"connect": {"url": "http://c", "connectors": [{"name": "a", "config": config}]}}
    found = load(written(tmp_path, document), {})
    assert found.connect
    assert found.connect.connectors[0].config == {
        "tasks.max": "2",
        "evolve": "true",
        "ratio": "0.5",
    }


def test_a_number_may_come_from_a_placeholder(tmp_path: Path) -> None:
    topics = [{"name": "a", "partitions": "${P:-3}"}]
    document = {"kafka": {"bootstrap.servers": "a:1", "topics": topics}}
    found = load(written(tmp_path, document), {})
    assert found.kafka
    assert found.kafka.topics[0].partitions == 3


def kafka(**topic: Any) -> dict[str, Any]:
    return {"kafka": {"bootstrap.servers": "a:1", "topics": [{"name": "a", **topic}]}}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ([1], "it is no mapping of sections"),
        (
            {"redis": {}},
            "unknown section redis; sections are clusters, kafka, catalog, connect, trino",
        ),
        (kafka(partitions=3, replicas=1), "kafka.topics.0.replicas: unknown key"),
        (kafka(), "kafka.topics.0.partitions: Field required"),
        (kafka(partitions=0), "kafka.topics.0.partitions: Input should be greater than"),
        (kafka(partitions=1, name="a b"), "kafka.topics.0.name: String should match"),
        (kafka(partitions=1, configs={"x": None}), "kafka.topics.0.configs.x: Input should be"),
        (
            {"connect": {"url": "c:1", "connectors": []}},
            "connect.url: ",
        ),
        (
            {"connect": {"url": "http://c", "connectors": [{"name": "a", "config": {}}] * 2}},
            "connector a is there 2 times",
        ),
    ],
)
def test_what_the_file_may_not_say_is_refused_with_a_sentence(
    tmp_path: Path, document: Any, sentence: str
) -> None:
    assert sentence in complaint(tmp_path, document)


def catalog(file: str, namespaces: list[str]) -> dict[str, Any]:
    tables = [{"namespace": "n", "file": file}]
    properties = {"type": "sql"}
    return {
        "catalog": {
            "name": "c",
            "properties": properties,
            "namespaces": namespaces,
            "tables": tables,
        }
    }


def test_a_table_needs_its_namespace_declared(tmp_path: Path) -> None:
    document = catalog(str(ROOT / "schemas" / "tables" / "errorlogs.json"), [])
    assert "table n.errorlogs needs n in `namespaces`" in complaint(tmp_path, document)


def test_a_table_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "none.json cannot be used" in complaint(tmp_path, catalog("none.json", ["n"]))


def test_a_table_file_with_an_unknown_key_is_refused(tmp_path: Path) -> None:
    declared = json.loads((ROOT / "schemas" / "tables" / "errorlogs.json").read_text())
    (tmp_path / "t.json").write_text(json.dumps({**declared, "partitioning": []}))
    text = complaint(tmp_path, catalog("t.json", ["n"]))
    assert "catalog.tables.0.definition.partitioning: unknown key" in text


def test_all_complaints_come_at_once(tmp_path: Path) -> None:
    text = complaint(tmp_path, kafka(partitions=0, x=1))
    assert len(text.splitlines()) == 3


def test_a_file_that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "desired.yaml").write_text("kafka: [")
    with pytest.raises(InvalidDesiredStateError, match="cannot be used"):
        load(tmp_path / "desired.yaml", {})


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidDesiredStateError, match="No such file"):
        load(tmp_path / "none.yaml", {})


def test_a_cluster_is_healthy_where_minio_says_so(tmp_path: Path) -> None:
    document = {"clusters": [{"name": "source", "url": "http://s3:9000"}]}
    found = load(written(tmp_path, document), {}, parts=[Part.CLUSTERS])
    assert found.clusters[0].health == "/minio/health/cluster"


@pytest.mark.parametrize(
    ("clusters", "sentence"),
    [
        ([{"name": "a", "url": "http://s3", "health": "up"}], "clusters.0.health: String should"),
        ([{"name": "a", "url": "http://s3"}] * 2, "cluster a is there 2 times"),
    ],
)
def test_what_a_cluster_may_not_say(tmp_path: Path, clusters: Any, sentence: str) -> None:
    assert sentence in complaint(tmp_path, {"clusters": clusters})


def test_to_create_a_warehouse_its_name_and_keys_are_needed(tmp_path: Path) -> None:
    properties = {"uri": "http://c", "client.access-key-id": "a", "rest.signing-name": "s3tables"}
    document = {"name": "c", "properties": properties, "namespaces": [], "tables": []}
    load(written(tmp_path, {"catalog": document}), {})
    text = complaint(tmp_path, {"catalog": {**document, "create-warehouse": True}})
    assert text.endswith(
        "`create-warehouse` needs warehouse, rest.signing-region, client.secret-access-key "
        "in `properties`"
    )


def trino(name: str = "lake", **properties: Any) -> dict[str, Any]:
    catalogs = [{"name": name, "properties": properties}]
    return {"trino": {"url": "http://t", "catalogs": catalogs}}


def test_secrets_of_trino_are_named_and_left_to_trino(tmp_path: Path) -> None:
    properties: dict[str, Any] = {
        "s3.aws-secret-key": "${ENV:SECRET}",
        "s3.path-style-access": True,
    }
    found = load(written(tmp_path, trino(**properties)), {"ENV": "no", "SECRET": "no"})
    assert found.trino
    assert found.trino.catalogs[0].connector == "iceberg"
    assert found.trino.catalogs[0].properties == {
        "s3.aws-secret-key": "${ENV:SECRET}",
        "s3.path-style-access": "true",
    }


@pytest.mark.parametrize(
    "name",
    [
        "s3.aws-secret-key",
        "s3.aws-access-key",
        "connection-password",
        "iceberg.rest-catalog.oauth2.token",
        "iceberg.rest-catalog.oauth2.credential",
    ],
)
@pytest.mark.parametrize("value", ["hunter2", "${ENV:A}hunter2", "x${ENV:A}", "${SECRET}"])
def test_a_secret_that_trino_would_log_is_refused_and_not_repeated(
    tmp_path: Path, name: str, value: str
) -> None:
    text = complaint(tmp_path, trino(**{name: value}), {"SECRET": "hunter2"})
    assert f"trino.catalogs.0: {name} would be in Trino's log: write ${{ENV:NAME}}" in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    "name",
    ["iceberg.rest-catalog.vended-credentials-enabled", "iceberg.rest-catalog.security"],
)
def test_what_only_sounds_like_a_secret_is_told(tmp_path: Path, name: str) -> None:
    assert load(written(tmp_path, trino(**{name: "x"})), {}).trino


@pytest.mark.parametrize("name", ["Lake", "a b", "-a", ""])
def test_a_catalog_of_trino_is_in_small_letters(tmp_path: Path, name: str) -> None:
    assert "trino.catalogs.0.name: String should match" in complaint(tmp_path, trino(name))


@pytest.mark.parametrize("connector", ['"iceberg"', "iceberg WITH", ""])
def test_a_connector_of_trino_needs_no_quotes(tmp_path: Path, connector: str) -> None:
    document = trino()
    document["trino"]["catalogs"][0]["connector"] = connector
    assert "trino.catalogs.0.connector: String should match" in complaint(tmp_path, document)


def test_a_catalog_of_trino_is_there_once(tmp_path: Path) -> None:
    document = trino()
    document["trino"]["catalogs"] *= 2
    assert "catalog of Trino lake is there 2 times" in complaint(tmp_path, document)
