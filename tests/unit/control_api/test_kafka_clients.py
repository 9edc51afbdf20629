"""Java's client properties become arguments of our client, or a sentence why they cannot."""

import ssl
from pathlib import Path

import pytest
import trustme

from frazil.control_api.core.errors import BrokerError
from frazil.control_api.kafka.clients import broker_errors, client_arguments

JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required {};"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def test_without_properties_a_client_talks_in_clear_and_waits_for_seconds_only() -> None:
    arguments = client_arguments({"bootstrap.servers": "a:1,b:2"})
    assert arguments["bootstrap_servers"] == "a:1,b:2"
    assert arguments["security_protocol"] == "PLAINTEXT"
    assert arguments["request_timeout_ms"] <= 10_000
    assert "ssl_context" not in arguments


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize(
    ("options", "password"),
    [
        ('username="me" password="a \\"b\\" \\\\ ="', 'a "b" \\ ='),
        ("password='it;s' username='me'", "it;s"),
        ("username=me password=secret", "secret"),
        ('username="me" password=""', ""),
    ],
)
def test_credentials_are_read_from_jaas(mechanism: str, options: str, password: str) -> None:
    arguments = client_arguments(
        {
            "security.protocol": "sasl_plaintext",
            "sasl.mechanism": mechanism,
            "sasl.jaas.config": JAAS.format(options),
        }
    )
    assert arguments["security_protocol"] == "SASL_PLAINTEXT"
    assert arguments["sasl_mechanism"] == mechanism
    assert arguments["sasl_plain_username"] == "me"
    assert arguments["sasl_plain_password"] == password


@pytest.mark.parametrize(
    ("properties", "sentence"),
    [
        ({"security.protocol": "TELNET"}, "security.protocol TELNET is none of"),
        ({"security.protocol": "SASL_PLAINTEXT"}, "sasl.mechanism GSSAPI is not supported"),
        (
            {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"},
            "sasl.jaas.config has no username",
        ),
        (
            {"security.protocol": "SSL", "ssl.truststore.location": "/x/trust.jks"},
            "trust.jks is of type JKS, .* Convert it to PEM",
        ),
        (
            {
                "security.protocol": "SSL",
                "ssl.keystore.location": "/x/own.p12",
                "ssl.keystore.type": "PKCS12",
            },
            "own.p12 is of type PKCS12",
        ),
        (
            {
                "security.protocol": "SSL",
                "ssl.truststore.location": "/no/such.pem",
                "ssl.truststore.type": "PEM",
            },
            "The ssl.* properties cannot be used",
        ),
    ],
)
def test_what_cannot_be_used_is_said_plainly(properties: dict[str, str], sentence: str) -> None:
    with pytest.raises(BrokerError, match=sentence):
        client_arguments(properties)


def test_certificates_are_trusted_from_a_file_or_from_the_property_itself(
    authority: trustme.CA, tmp_path: Path
) -> None:
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(file)
    by_file = {"ssl.truststore.location": str(file), "ssl.truststore.type": "PEM"}
    inline = {"ssl.truststore.certificates": authority.cert_pem.bytes().decode()}
    for trust in (by_file, inline):
        context: ssl.SSLContext = client_arguments({"security.protocol": "SSL"} | trust)[
            "ssl_context"
        ]
        assert len(context.get_ca_certs()) == 1
        assert context.check_hostname


def test_the_name_in_a_certificate_may_be_ignored_as_in_java() -> None:
    properties = {"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": ""}
    context: ssl.SSLContext = client_arguments(properties)["ssl_context"]
    assert not context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED


def test_an_own_certificate_is_taken_from_a_file_or_from_the_properties(
    authority: trustme.CA, tmp_path: Path
) -> None:
    own = authority.issue_cert("frazil.test")
    file = tmp_path / "own.pem"
    own.private_key_and_cert_chain_pem.write_to_path(file)
    by_file = {"ssl.keystore.location": str(file), "ssl.keystore.type": "PEM"}
    inline = {
        "ssl.keystore.key": own.private_key_pem.bytes().decode(),
        "ssl.keystore.certificate.chain": own.cert_chain_pems[0].bytes().decode(),
    }
    for keystore in (by_file, inline):
        assert client_arguments({"security.protocol": "SSL"} | keystore)["ssl_context"]
    broken = inline | {"ssl.keystore.certificate.chain": authority.cert_pem.bytes().decode()}
    with pytest.raises(BrokerError, match="cannot be used"):
        client_arguments({"security.protocol": "SSL"} | broken)


async def test_an_error_that_is_ours_passes_as_it_is() -> None:
    with pytest.raises(BrokerError, match=r"^as it is$"):
        async with broker_errors({}):
            raise BrokerError("as it is")


async def test_a_client_that_cannot_connect_does_not_answer() -> None:
    with pytest.raises(BrokerError, match=r"^Kafka at k:1 does not answer$"):
        async with broker_errors({"bootstrap.servers": "k:1"}):
            raise TimeoutError
