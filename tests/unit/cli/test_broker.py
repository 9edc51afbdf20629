from pathlib import Path

from frazil.cli.broker import Broker, properties
from frazil.cli.ports import Ports

PORTS = Ports(api=1, kafka=2, controller=3, catalog=4)


def _parsed(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


def test_the_broker_listens_on_loopback_only() -> None:
    settings = _parsed(properties(Path("/data"), PORTS))
    assert settings["listeners"] == "PLAINTEXT://127.0.0.1:2,CONTROLLER://127.0.0.1:3"
    assert settings["advertised.listeners"] == "PLAINTEXT://127.0.0.1:2"
    assert settings["controller.quorum.bootstrap.servers"] == "127.0.0.1:3"


def test_a_lone_node_asks_for_one_replica_of_everything() -> None:
    settings = _parsed(properties(Path("/data"), PORTS))
    copies = {key: value for key, value in settings.items() if key.endswith(("factor", "min.isr"))}
    assert len(copies) == 5
    assert set(copies.values()) == {"1"}


def test_topics_are_made_by_the_provisioner_and_never_by_accident() -> None:
    assert _parsed(properties(Path("/data"), PORTS))["auto.create.topics.enable"] == "false"


def test_the_command_takes_all_jars_of_the_folder() -> None:
    broker = Broker(java=Path("/java"), jars=Path("/jars"), folder=Path("/kafka"), ports=PORTS)
    command = broker.command()
    assert command[0] == "/java"
    assert command[command.index("-cp") + 1 :] == [
        "/jars/*",
        "kafka.Kafka",
        "/kafka/server.properties",
    ]
