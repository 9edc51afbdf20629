"""The files of the container stack, as far as they can be judged without an engine."""

import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.compose import variables, with_defaults

from frazil.provisioner.desired import load

COMPOSE = Path(__file__).parents[3] / "deploy" / "compose"
STACK = sorted(COMPOSE.glob("*.yaml"), key=lambda file: file.name)
_TOLD = re.compile(r"^#([A-Z_]+)=(.*)$", re.MULTILINE)
# Compose gives it by itself, from the name of the project.
_GIVEN = {"COMPOSE_PROJECT_NAME": "frazil"}


def defaults() -> dict[str, set[str]]:
    """Collect the variables of all files but the desired state, whose values compose gives."""
    found = defaultdict(set, {name: {value} for name, value in _GIVEN.items()})
    for file in STACK:
        if file.name == "desired-state.yaml":
            continue
        for name, default in variables(file.read_text()):
            if name not in _GIVEN:
                found[name].add(default)
    return found


def test_the_example_names_every_variable_with_its_default() -> None:
    told = dict(_TOLD.findall((COMPOSE / ".env.example").read_text()))
    found = defaults()
    assert set(told) == set(found)
    for name, value in told.items():
        # AIStor's images are the default only where there is a licence, and the destination is a
        # store of its own only where there are two.
        usual = {one for one in found[name] if "aistor" not in one and "nginx-dest" not in one}
        assert usual == {value}, name


def services() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("compose.yaml", "node.yaml"):
        found |= yaml.safe_load((COMPOSE / name).read_text())["services"]
    return found


@pytest.mark.parametrize("name", sorted(services().keys() - {"source"}))
def test_a_service_is_watched_and_bounded(name: str) -> None:
    service = services()[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert set(service["logging"]["options"]) == {"max-size", "max-file"}
    assert "mem_limit" in service
    assert "restart" in service
    assert "healthcheck" in service or name == "kafka-iceberg-init"


@pytest.mark.parametrize("name", sorted(services().keys() - {"source"}))
def test_a_service_says_where_it_is(name: str) -> None:
    service = services()[name]
    assert ("networks" in service) != (service.get("network_mode") == "none"), (
        "else compose puts it into a network that nothing else is in"
    )


def test_the_database_is_reached_by_the_control_api_and_the_catalog_alone() -> None:
    found = services()
    there = {name for name, one in found.items() if "database" in one.get("networks", ())}
    assert there == {"postgres", "kafka-connect", "table-catalog"}
    assert found["postgres"]["networks"] == ["database"]
    assert "ports" not in found["postgres"]


def test_the_engines_socket_is_in_one_container_which_is_in_no_network() -> None:
    found = services()
    have = [name for name, one in found.items() if "docker.sock" in str(one.get("volumes"))]
    assert have == ["docker-proxy"]
    proxy = found["docker-proxy"]
    assert proxy["network_mode"] == "none"
    assert "networks" not in proxy
    assert "cap_add" not in proxy
    reach = {name for name, one in found.items() if "docker-api:" in str(one.get("volumes"))}
    assert reach == {"docker-proxy", "kafka-connect"}


def test_the_proxy_has_the_settings_of_the_engine() -> None:
    proxy, api = (services()[name]["environment"] for name in ("docker-proxy", "kafka-connect"))
    own = {"FRAZIL_DOCKER_HOST"}
    assert {name: api[name] for name in proxy.keys() - own} == {
        name: proxy[name] for name in proxy.keys() - own
    }
    assert {"FRAZIL_INSTANCE", "FRAZIL_DOCKER_MEMORY", "FRAZIL_DOCKER_CPUS"} <= proxy.keys()


def test_the_control_api_asks_for_credentials_and_is_open_to_this_machine_alone() -> None:
    told = services()["kafka-connect"]["environment"]
    assert told["FRAZIL_CREDENTIALS"]
    assert told["FRAZIL_PUBLISHED_ON"] == "${BIND_ADDRESS:-127.0.0.1}"
    assert "FRAZIL_ALLOW_REMOTE" not in told


def test_connectors_may_name_no_secret_of_the_control_api() -> None:
    service = services()["kafka-connect"]
    allowed = service["environment"]["FRAZIL_SECRETS_PATHS"]
    shown = [one["source"] for one in service["configs"] if one["target"].startswith(allowed)]
    assert shown == ["access-key", "secret-key"]


def test_images_are_pinned() -> None:
    for default in defaults().items():
        name, values = default
        if name.endswith("_IMAGE"):
            assert all(":" in value and not value.endswith(":latest") for value in values), name


def test_the_desired_state_can_be_read_with_what_compose_gives() -> None:
    given = services()["kafka-iceberg-init"]["environment"] | {
        "SOURCE_URL": "http://source:9000",
        "DEST_URL": "http://dest:9000",
        "CATALOG_URL": "http://dest:9000",
        "ACCESS_KEY": "key",
        "SECRET_KEY": "secret",
    }
    values = {name: with_defaults(str(text)) for name, text in given.items()}
    desired = load(COMPOSE / "desired-state.yaml", values)
    assert desired.connect
    assert desired.trino
    assert [one.name for one in desired.connect.connectors] == [
        "iceberg-sink-apilogs",
        "iceberg-sink-errorlogs",
        "iceberg-sink-auditlogs",
    ]
    assert desired.connect.connectors[0].config["topics"] == "apilogs,minio-audit"
    assert "<> 'kafkawarehouse'" in desired.connect.connectors[0].config["transforms.row.statement"]
    assert desired.trino.catalogs[0].name == "kafkawarehouse"


def test_each_tool_of_the_broker_stand_in_has_its_plain_name_on_the_path() -> None:
    folder = COMPOSE / "kafka-bin"
    script = COMPOSE.parent / "airgap" / "images" / "kafka" / "tool"
    tools = set(re.findall(r"^  (kafka-[a-z-]+)\.sh\)", script.read_text(), re.MULTILINE))
    links = {link.name: link.readlink().name for link in folder.iterdir() if link.is_symlink()}
    assert links == dict.fromkeys(tools, "kafka-tool")
    assert os.access(folder / "kafka-tool", os.X_OK)
    assert "./kafka-bin:/usr/local/sbin:ro" in services()["kafka"]["volumes"]


def test_what_reads_tables_has_no_secrets_no_port_and_no_way_to_the_engine() -> None:
    found = services()
    reader, api = found["table-reader"], found["kafka-connect"]
    assert reader["volumes"] == ["table-reader:/run/table-reader"]
    assert not {"configs", "secrets", "ports"} & reader.keys()
    assert reader["networks"] == ["kafka-iceberg"]
    assert reader["read_only"]
    users = [n for n, one in found.items() if "table-reader:" in str(one.get("volumes"))]
    assert users == ["kafka-connect", "table-reader"]
    assert api["environment"]["FRAZIL_TABLE_READER"] == reader["command"][-1]
