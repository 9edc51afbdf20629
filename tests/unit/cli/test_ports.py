import socket

import pytest

from frazil.cli.ports import HOST, Ports, PortTakenError, answers, free_ports


def test_a_taken_port_is_a_sentence_that_names_the_port_and_its_setting() -> None:
    ports = free_ports()
    with socket.create_server((HOST, ports.kafka)), pytest.raises(PortTakenError) as raised:
        ports.require_free()
    assert str(raised.value) == (
        f"Port {ports.kafka}, meant for the Kafka broker, is taken by another program. "
        "Set FRAZIL_KAFKA_PORT to a free one, or stop that program."
    )


def test_free_ports_are_free_and_all_different() -> None:
    ports = free_ports()
    ports.require_free()
    assert len(set(ports.model_dump().values())) == 4


def test_only_a_listening_port_answers() -> None:
    port = free_ports().api
    assert not answers(port)
    with socket.create_server((HOST, port)):
        assert answers(port)


def test_addresses_are_on_loopback() -> None:
    ports = Ports(api=8083, kafka=9092, controller=9093, catalog=9100)
    assert ports.api_url == "http://127.0.0.1:8083"
    assert ports.catalog_url == "http://127.0.0.1:9100"
    assert ports.bootstrap_servers == "127.0.0.1:9092"
