"""The container stack as compose renders it: with the variables that a user sets, and without."""

import tomllib
from collections.abc import Mapping

import pytest
from pydantic import HttpUrl
from tests.support.compose import Rendered, is_here, rendered
from tests.support.environment import environment

from frazil.cli.containers.project import RootKey
from frazil.cli.settings import read_compose_settings
from frazil.contracts.log_topics import Topic
from frazil.log_generator.settings import DriveSettings

pytestmark = pytest.mark.skipif(not is_here(), reason="`docker compose` is not on this machine")

_OWN = ("FRAZIL_", "MINIO_", "KAFKA_")
TOPOLOGIES = ("single", "dual")
RENAMED = {
    "API_LOGS_TOPIC": "logs.api",
    "ERROR_LOGS_TOPIC": "logs.error",
    "AUDIT_LOGS_TOPIC": "logs.audit",
}


def in_container(monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str], **more: str) -> None:
    """Give this process the environment of a container, and nothing else of that kind."""
    for name in environment():
        if name.startswith(_OWN) or name.endswith(("_LOGS_TOPIC", "_NAME")):
            monkeypatch.delenv(name)
    for name, value in {**given, **more}.items():
        monkeypatch.setenv(name, value)


def bare(url: HttpUrl) -> str:
    return str(url).rstrip("/")


def connectors(stack: Rendered) -> dict[str, dict[str, str]]:
    connect = stack.desired().connect
    assert connect
    return {one.name: dict(one.config) for one in connect.connectors}


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_renamed_topics_reach_topics_connectors_and_generator(
    topology: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = rendered(topology, **RENAMED)
    kafka = stack.desired().kafka
    assert kafka
    made = {topic.name for topic in kafka.topics}
    assert made == {"control-iceberg", "minio-audit", *RENAMED.values()}
    assert {name: config["topics"] for name, config in connectors(stack).items()} == {
        "iceberg-sink-apilogs": "logs.api,minio-audit",
        "iceberg-sink-errorlogs": "logs.error",
        "iceberg-sink-auditlogs": "logs.audit",
    }
    # The tables keep their names, and with them every query.
    assert {config["iceberg.tables"] for config in connectors(stack).values()} == {
        f"streaming.{topic}" for topic in Topic
    }
    in_container(monkeypatch, stack.environment("log-generator"), FRAZIL_S3_RATE="0")
    generator = DriveSettings()
    assert {generator.log_topics[topic] for topic in generator.topics} <= made


def test_renamed_topics_reach_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    in_container(monkeypatch, RENAMED)
    assert list(read_compose_settings().log_topics.values()) == list(RENAMED.values())


def trino_properties(stack: Rendered) -> dict[str, str]:
    trino = stack.desired().trino
    assert trino
    return dict(trino.catalogs[0].properties)


def test_a_store_outside_of_the_stack_takes_the_place_of_its_own() -> None:
    outside = "https://store.example:9443"
    stack = rendered("single", MINIO_ENDPOINT=outside)
    desired = stack.desired()
    assert desired.catalog
    assert {bare(cluster.url) for cluster in desired.clusters} == {outside}
    assert {config["iceberg.catalog.s3.endpoint"] for config in connectors(stack).values()} == {
        outside
    }
    assert trino_properties(stack)["s3.endpoint"] == outside
    for service in ("table-catalog", "log-generator"):
        assert stack.environment(service)["FRAZIL_S3_ENDPOINT"] == outside
    # The catalog is still the stack's, and keeps the tables there.
    assert desired.catalog.properties["uri"] == "http://minio:9000/_iceberg"
    assert trino_properties(stack)["iceberg.rest-catalog.uri"] == "http://minio:9000/_iceberg"


def test_with_a_licence_the_catalog_is_that_of_the_store_outside() -> None:
    stack = rendered(
        "single", "single.aistor", MINIO_ENDPOINT="https://store.example", MINIO_LICENSE="eyJ"
    )
    desired = stack.desired()
    assert desired.catalog
    assert desired.catalog.properties["uri"] == "https://store.example/_iceberg"


def test_with_two_clusters_the_store_outside_is_the_destination_alone() -> None:
    stack = rendered("dual", MINIO_ENDPOINT="https://store.example")
    urls = {cluster.name: bare(cluster.url) for cluster in stack.desired().clusters}
    assert urls == {"source": "http://nginx-source:9000", "destination": "https://store.example"}
    generator = stack.environment("log-generator")
    assert generator["FRAZIL_S3_ENDPOINT"] == "http://nginx-source:9000"


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_brokers_outside_of_the_stack_are_those_of_everything_in_it(topology: str) -> None:
    stack = rendered(topology, f"{topology}.aistor", KAFKA_BOOTSTRAP_SERVERS="b1:9092,b2:9092")
    kafka = stack.desired().kafka
    assert kafka
    assert kafka.bootstrap_servers == "b1:9092,b2:9092"
    for service in ("kafka-connect", "log-generator"):
        assert stack.environment(service)["FRAZIL_BOOTSTRAP_SERVERS"] == "b1:9092,b2:9092"
    node = stack.environment("minio-node" if topology == "single" else "minio-source3")
    assert {value for name, value in node.items() if name.endswith("_BROKERS")} == {
        "b1:9092,b2:9092"
    }


def reaches_out(stack: Rendered, service: str) -> bool:
    """Tell whether one of its networks leads out of the stack."""
    networks = stack.body["networks"]
    return any(not networks[name].get("internal") for name in stack.services[service]["networks"])


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_who_has_to_reach_a_store_or_brokers_outside_can_and_only_then(topology: str) -> None:
    node = "minio-node" if topology == "single" else "minio-source2"
    for service in ("table-catalog", node):
        assert not reaches_out(rendered(topology), service)
        assert reaches_out(rendered(topology, f"{topology}.outside"), service)


@pytest.mark.parametrize(
    ("variables", "outside"),
    [
        ({}, False),
        ({"MINIO_ENDPOINT": "http://minio:9000/", "KAFKA_BOOTSTRAP_SERVERS": ""}, False),
        ({"MINIO_ENDPOINT": "http://nginx-dest:9000"}, False),
        ({"MINIO_ENDPOINT": "https://store.example"}, True),
        ({"KAFKA_BOOTSTRAP_SERVERS": "b1:9092"}, True),
        ({"KAFKA_CONNECT_URL": "http://connect.example:8083"}, False),
    ],
)
def test_the_command_opens_a_way_out_for_what_is_outside(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], outside: bool
) -> None:
    in_container(monkeypatch, variables)
    assert read_compose_settings().is_outside is outside


def test_the_token_is_for_the_server_of_the_stack() -> None:
    stack = rendered("single", KAFKA_CONNECT_URL="http://connect.example:8083")
    provisioner = stack.environment("kafka-iceberg-init")
    assert "http://kafka-connect:8083" in provisioner.values()


def test_connectors_go_to_the_connect_server_that_is_named() -> None:
    stack = rendered("single", KAFKA_CONNECT_URL="http://connect.example:8083")
    connect = stack.desired().connect
    assert connect
    assert bare(connect.url) == "http://connect.example:8083"


CLIENTS = {
    "kafka-connect": "/run/connector-secrets/secret-key",
    "trino": "/run/secrets/secret-key",
    "kafka-iceberg-init": "/run/secrets/secret-key",
    "table-catalog": "/run/secrets/frazil_s3_secret_key",
    "log-generator": "/run/secrets/frazil_s3_secret_key",
}
KEYS = {
    "the clients' pair alone": (
        {"MINIO_ACCESS_KEY": "ours", "MINIO_SECRET_KEY": "hush-hush"},
        (("ours", "hush-hush"), ("ours", "hush-hush")),
    ),
    "the store's pair alone": (
        {"MINIO_ROOT_USER": "root", "MINIO_ROOT_PASSWORD": "hush-root"},
        (("root", "hush-root"), ("root", "hush-root")),
    ),
    "both": (
        {
            "MINIO_ACCESS_KEY": "ours",
            "MINIO_SECRET_KEY": "hush-hush",
            "MINIO_ROOT_USER": "root",
            "MINIO_ROOT_PASSWORD": "hush-root",
        },
        (("ours", "hush-hush"), ("root", "hush-root")),
    ),
    "none": ({}, (("minioadmin", "minioadmin"), ("minioadmin", "minioadmin"))),
}


@pytest.mark.parametrize(("given", "expected"), KEYS.values(), ids=KEYS.keys())
def test_clients_and_the_store_have_the_keys_that_are_set_for_them(
    given: dict[str, str],
    expected: tuple[tuple[str, str], tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client, root = expected
    stack = rendered("single", **given)
    for service, file in CLIENTS.items():
        assert stack.secrets(service)[file] == client[1], service
    desired = stack.desired()
    assert desired.catalog
    assert desired.catalog.properties["client.access-key-id"] == client[0]
    keys = tomllib.loads(stack.secrets("table-catalog")["/run/secrets/keys.toml"])
    assert list(keys) == [client[0]]
    node = stack.secrets("minio-node")
    assert (node["/run/secrets/root-user"], node["/run/secrets/root-password"]) == root
    in_container(monkeypatch, given)
    settings = read_compose_settings()
    assert (settings.client_key, settings.store_key) == (RootKey(*client), RootKey(*root))


def test_with_two_clusters_the_generator_has_the_keys_of_the_source() -> None:
    stack = rendered("dual", **KEYS["both"][0])
    assert "hush-root" in stack.secrets("log-generator").values()
    assert "hush-hush" in stack.secrets("kafka-connect").values()


def test_the_defaults_may_be_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = {
        "MINIO_ENDPOINT": "http://minio:9000",
        "MINIO_ACCESS_KEY": "minioadmin",
        "MINIO_SECRET_KEY": "minioadmin",
        "KAFKA_BOOTSTRAP_SERVERS": "kafka:29092",
        "KAFKA_CONNECT_URL": "http://kafka-connect:8083",
    }
    assert rendered("single", **defaults) == rendered("single")
    in_container(monkeypatch, defaults)
    settings = read_compose_settings()
    assert (settings.other_brokers, settings.other_connect_url) == (None, None)


LICENCE = "eyJhbGciOiJub3QgYSBsaWNlbmNlIn0"
NODES = {
    "single": (["minio-node"], []),
    "dual": (
        [f"minio-source{number}" for number in range(1, 5)],
        [f"minio-dest{number}" for number in range(1, 5)],
    ),
}


@pytest.fixture(params=TOPOLOGIES)
def aistor(request: pytest.FixtureRequest) -> tuple[str, Rendered]:
    name: str = request.param
    secrets = {"MINIO_LICENSE": LICENCE, "MINIO_ROOT_PASSWORD": "hush-root"}
    return name, rendered(name, f"{name}.aistor", **secrets, **RENAMED)


def test_aistor_sends_each_log_to_its_topic(aistor: tuple[str, Rendered]) -> None:
    name, stack = aistor
    sources, destinations = NODES[name]
    for node in sources:
        logs = {
            key: value
            for key, value in stack.environment(node).items()
            if key.startswith(("MINIO_LOG_", "MINIO_AUDIT_KAFKA_ENABLE"))
        }
        assert logs == {"MINIO_AUDIT_KAFKA_ENABLE": "off"} | {
            f"MINIO_LOG_{log}_KAFKA_{key}": value
            for log in ("API", "ERROR", "AUDIT")
            for key, value in (
                ("ENABLE", "on"),
                ("BROKERS", "kafka:29092"),
                ("TOPIC", RENAMED[f"{log}_LOGS_TOPIC"]),
            )
        }
    for node in destinations:
        assert not [key for key in stack.environment(node) if "KAFKA" in key]


def test_aistor_is_in_every_node_with_the_licence_as_a_file(aistor: tuple[str, Rendered]) -> None:
    name, stack = aistor
    for node in (nodes for both in NODES[name] for nodes in both):
        assert stack.services[node]["image"].startswith("quay.io/minio/aistor/minio:EDGE."), node
        assert stack.environment(node)["MINIO_LICENSE"] == "/run/secrets/license"
        assert stack.secrets(node)["/run/secrets/license"] == LICENCE
        assert stack.secrets(node)["/run/secrets/root-password"] == "hush-root"


def test_aistor_has_its_own_catalog_and_writes_all_logs(aistor: tuple[str, Rendered]) -> None:
    name, stack = aistor
    assert "table-catalog" not in stack.services
    assert connectors(stack)["iceberg-sink-apilogs"]["topics"] == "logs.api"
    assert stack.environment("log-generator")["FRAZIL_RECORDS_RATE"] == "0"
    front = stack.services["minio" if name == "single" else "nginx-dest"]
    replaced = {
        one["target"].rpartition("/")[2] for one in front["volumes"] if "none.conf" in one["source"]
    }
    assert replaced == {"catalog.conf", "catalog-upstream.conf"}


def test_no_secret_is_in_the_environment_or_command_of_a_container(
    aistor: tuple[str, Rendered],
) -> None:
    _, stack = aistor
    for name, service in stack.services.items():
        seen = {key: value for key, value in service.items() if key != "configs"}
        assert LICENCE not in str(seen), name
        assert "hush-root" not in str(seen), name


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_the_broker_has_the_cluster_id_and_the_ports_of_the_documents(topology: str) -> None:
    kafka = rendered(topology).services["kafka"]
    assert kafka["environment"]["CLUSTER_ID"] == "MkU3OEVBNTcwNTJENDM2Qk"
    assert [(one["target"], one["published"]) for one in kafka["ports"]] == [(9092, "9092")]


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_warehouse_and_namespace_of_other_names_are_those_of_everything(
    topology: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"WAREHOUSE_NAME": "lake", "NAMESPACE_NAME": "logs"}
    stack = rendered(topology, **names)
    desired = stack.desired()
    assert desired.catalog
    assert desired.trino
    assert desired.catalog.properties["warehouse"] == "lake"
    assert list(desired.catalog.namespaces) == ["logs"]
    assert {table.namespace for table in desired.catalog.tables} == {"logs"}
    assert desired.trino.catalogs[0].name == "lake"
    assert trino_properties(stack)["iceberg.rest-catalog.warehouse"] == "lake"
    for config in connectors(stack).values():
        assert config["iceberg.catalog.warehouse"] == "lake"
        assert config["iceberg.tables"].startswith("logs.")
    apilogs = connectors(stack)["iceberg-sink-apilogs"]
    assert "<> 'lake'" in apilogs["transforms.row.statement"]
    in_container(monkeypatch, names)
    settings = read_compose_settings()
    assert (settings.warehouse, settings.namespace) == ("lake", "logs")


PORTS = {
    "SOURCE_API_PORT": "19000",
    "SOURCE_CONSOLE_PORT": "19001",
    "DEST_API_PORT": "19010",
    "DEST_CONSOLE_PORT": "19011",
    "KAFKA_EXTERNAL_PORT": "19092",
    "KAFKA_CONNECT_PORT": "18083",
    "TRINO_PORT": "19999",
}


def test_every_port_can_be_moved() -> None:
    stack = rendered("dual", **PORTS)
    published = {
        port["published"]
        for service in stack.services.values()
        for port in service.get("ports", ())
    }
    assert published == set(PORTS.values())
    listeners = stack.environment("kafka")["KAFKA_ADVERTISED_LISTENERS"]
    assert listeners == "INTERNAL://kafka:29092,EXTERNAL://localhost:19092"
