"""Where the operator's login to Kafka goes: to the operator's brokers alone."""

import pytest

from frazil.contracts.kafka_properties import overridden

OPERATOR = {
    "bootstrap.servers": "k1:9093,k2:9093",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.jaas.config": "ScramLoginModule required username='o' password='secret';",
    "ssl.keystore.key": "secret",
    "ssl.key.password": "secret",
    "ssl.truststore.location": "/etc/ca.pem",
    "request.timeout.ms": "5000",
}
LOGIN = {"sasl.mechanism", "sasl.jaas.config", "ssl.keystore.key", "ssl.key.password"}


@pytest.mark.parametrize(
    "override",
    [
        {"bootstrap.servers": "attacker:9092"},
        {"bootstrap.servers": "k1:9093,attacker:9092"},
        {"security.protocol": "SASL_PLAINTEXT"},
        {"security.protocol": "PLAINTEXT"},
        {"security.protocol": "sasl_plaintext"},
        {"sasl.mechanism": "PLAIN"},
        {"sasl.oauthbearer.token.endpoint.url": "https://attacker/"},
        {"sasl.login.callback.handler.class": "x.Y"},
        {"ssl.endpoint.identification.algorithm": ""},
        {"ssl.truststore.location": "/attacker.pem"},
        {"ssl.truststore.certificates": "..."},
    ],
    ids=str,
)
def test_who_changes_the_receiver_gets_nothing_of_the_login(override: dict[str, str]) -> None:
    found = overridden(OPERATOR, override)
    assert found == {n: t for n, t in OPERATOR.items() if n not in LOGIN} | override
    assert "secret" not in str(found)


@pytest.mark.parametrize(
    "override",
    [
        {},
        {"auto.offset.reset": "latest"},
        {"group.id": "mine"},
        {"bootstrap.servers": "k2:9093"},
        {"bootstrap.servers": "k2:9093, k1:9093"},
        {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512"},
        {"sasl.jaas.config": "ScramLoginModule required username='c' password='own';"},
    ],
    ids=str,
)
def test_all_other_settings_are_put_in_place_of_the_operator_s(override: dict[str, str]) -> None:
    assert overridden(OPERATOR, override) == OPERATOR | override


def test_more_than_the_operator_asks_for_is_no_danger() -> None:
    plain = {"bootstrap.servers": "k:1", "security.protocol": "SASL_PLAINTEXT", "sasl.x": "y"}
    assert overridden(plain, {"security.protocol": "SASL_SSL"})["sasl.x"] == "y"


def test_a_connector_that_goes_elsewhere_brings_its_own_login() -> None:
    own = {
        "bootstrap.servers": "other:9093",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": "PlainLoginModule required username='c' password='own';",
    }
    found = overridden(OPERATOR, own)
    assert found.items() >= own.items()
    assert "ssl.keystore.key" not in found


def test_later_overrides_win_and_a_login_that_was_dropped_stays_so() -> None:
    found = overridden(OPERATOR, {"bootstrap.servers": "x:1"}, {"client.id": "a"})
    assert not LOGIN & found.keys()
    assert found["client.id"] == "a"
