"""The life of a connector by the package kafka_connect_api, which only its own Python has."""

import sys
import time

from kafka_connect_api.kafka_connect_api import (  # type: ignore[import-not-found]
    Api,
    Cluster,
    Connector,
)

CONFIG = {"connector.class": "FileStreamSource", "file": "in.txt", "topic": "lines"}


def main(port: int) -> None:
    cluster = Cluster(Api("127.0.0.1", port=port))
    assert cluster.version == "4.3.1"
    assert cluster.connectors == {}
    cluster.api.post("/connectors", json={"name": "life", "config": CONFIG})
    connector = cluster.connectors["life"]
    until(connector, "RUNNING")
    inspect(connector)
    steer(connector)
    configure_loggers(cluster)
    connector.delete()
    assert cluster.connectors == {}


def inspect(connector: Connector) -> None:
    assert connector.exists()
    assert connector.connector_class == "FileStreamSource"
    (task,) = connector.tasks
    assert (task.id, task.state, task.config["file"]) == (0, "RUNNING", "in.txt")


def steer(connector: Connector) -> None:
    connector.config = CONFIG | {"batch.size": "10"}
    assert connector.config["batch.size"] == "10"
    connector.pause()
    until(connector, "PAUSED")
    connector.resume()
    until(connector, "RUNNING")
    connector.restart()
    until(connector, "RUNNING")
    connector.restart_all_tasks()
    until(connector, "RUNNING")
    connector.cycle_connector()
    until(connector, "RUNNING")


def configure_loggers(cluster: Cluster) -> None:
    cluster.root_logger = "DEBUG"
    assert cluster.root_logger["level"] == "DEBUG"


def until(connector: Connector, state: str) -> None:
    deadline = time.monotonic() + 30
    while connector.state != state:
        assert time.monotonic() < deadline, f"it does not become {state}"
        time.sleep(0.05)


if __name__ == "__main__":
    main(int(sys.argv[1]))
