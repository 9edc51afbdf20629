"""Java's client properties become librdkafka's, or a reason why that is impossible."""

import pytest
from confluent_kafka import Consumer
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.spark_sink.tasks.jaas import JaasError, parse_login
from frazil.spark_sink.tasks.kafka_client import Translation, librdkafka_properties
from frazil.spark_sink.tasks.kafka_security import UntranslatableError
from frazil.spark_sink.tasks.pem import normalize_pem

SECURITY = "org.apache.kafka.common.security"
PLAIN_LOGIN = f"{SECURITY}.plain.PlainLoginModule required"
SCRAM_LOGIN = f"{SECURITY}.scram.ScramLoginModule required"
ISSUER = "https://issuer.test/"
OIDC = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "OAUTHBEARER",
    "sasl.login.callback.handler.class": f"{SECURITY}.oauthbearer.secured."
    "OAuthBearerLoginCallbackHandler",
    "sasl.oauthbearer.token.endpoint.url": ISSUER,
    "sasl.jaas.config": f"{SECURITY}.oauthbearer.OAuthBearerLoginModule required "
    'clientId="me" clientSecret="s3cret" scope="kafka" extension_logicalCluster="lkc-1";',
}
BLOCK = f"-----BEGIN CERTIFICATE-----\n{'A' * 64}\n{'B' * 10}\n-----END CERTIFICATE-----\n"
ENCRYPTED_KEY = BLOCK.replace("CERTIFICATE", "ENCRYPTED PRIVATE KEY")


def translate(**java: str) -> Translation:
    return librdkafka_properties({key.replace("_", "."): value for key, value in java.items()})


def plain(login: str, mechanism: str = "PLAIN") -> dict[str, str]:
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": login,
    }


def test_defaults_that_differ_are_those_of_java() -> None:
    assert translate(bootstrap_servers="a:1,b:2").properties == {
        "bootstrap.servers": "a:1,b:2",
        "check.crcs": "true",
        "isolation.level": "read_uncommitted",
        "reconnect.backoff.max.ms": "1000",
        "reconnect.backoff.ms": "50",
        "security.protocol": "plaintext",
        "socket.connection.setup.timeout.ms": "10000",
        "socket.timeout.ms": "30000",
    }


@pytest.mark.parametrize(
    ("key", "text", "name", "translated"),
    [
        ("client.id", "My Client", "client.id", "My Client"),
        ("client.rack", "eu-1a", "client.rack", "eu-1a"),
        ("group.id", "Connect-A", "group.id", "Connect-A"),
        ("isolation.level", "READ_COMMITTED", "isolation.level", "read_committed"),
        ("check.crcs", "false", "check.crcs", "false"),
        ("fetch.max.bytes", "1000000", "fetch.max.bytes", "1000000"),
        ("fetch.max.bytes", "2147483647", "fetch.max.bytes", "2147483135"),
        ("max.partition.fetch.bytes", "5000000", "fetch.message.max.bytes", "5000000"),
        ("max.partition.fetch.bytes", "2147483647", "fetch.message.max.bytes", "1000000000"),
        ("receive.buffer.bytes", "-1", "socket.receive.buffer.bytes", "0"),
        ("receive.buffer.bytes", "65536", "socket.receive.buffer.bytes", "65536"),
        ("request.timeout.ms", " 45000 ", "socket.timeout.ms", "45000"),
        ("request.timeout.ms", "900000", "socket.timeout.ms", "300000"),
        ("metadata.max.age.ms", "60000", "topic.metadata.refresh.interval.ms", "60000"),
        ("connections.max.idle.ms", "-1", "connections.max.idle.ms", "0"),
        ("socket.connection.setup.timeout.ms", "5", "socket.connection.setup.timeout.ms", "1000"),
        ("retry.backoff.ms", "0", "retry.backoff.ms", "1"),
    ],
)
def test_a_setting_is_written_as_librdkafka_wants_it(
    key: str, text: str, name: str, translated: str
) -> None:
    assert librdkafka_properties({key: text}).properties[name] == translated


def test_a_first_pause_is_never_longer_than_the_longest() -> None:
    properties = translate(reconnect_backoff_max_ms="10").properties
    assert properties["reconnect.backoff.ms"] == "10"


def test_properties_without_effect_are_dropped_and_unknown_ones_are_reported() -> None:
    translation = translate(
        session_timeout_ms="1", auto_offset_reset="latest", max_poll_records="1", zzz="1", a_b="1"
    )
    assert translation.ignored == ("a.b", "zzz")
    assert translation.properties == translate().properties


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_login_becomes_name_and_password(mechanism: str) -> None:
    module = PLAIN_LOGIN if mechanism == "PLAIN" else SCRAM_LOGIN
    login = f'{module} username="me" password="a \\"b\\" \\\\ ;=";'
    properties = librdkafka_properties(plain(login, mechanism)).properties
    assert properties["security.protocol"] == "sasl_plaintext"
    assert properties["sasl.mechanism"] == mechanism
    assert properties["sasl.username"] == "me"
    assert properties["sasl.password"] == 'a "b" \\ ;='


def test_settings_of_logins_and_tls_do_not_matter_without_them() -> None:
    java = {"sasl.mechanism": "GSSAPI", "ssl.truststore.location": "/x.jks", "ssl.provider": "P"}
    assert librdkafka_properties(java).properties == librdkafka_properties({}).properties


def test_tokens_are_requested_by_client_credentials() -> None:
    properties = librdkafka_properties(OIDC, token_urls=[ISSUER]).properties
    oauth = {key: text for key, text in properties.items() if key.startswith("sasl.")}
    assert oauth == {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.client.id": "me",
        "sasl.oauthbearer.client.secret": "s3cret",
        "sasl.oauthbearer.extensions": "logicalCluster=lkc-1",
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.scope": "kafka",
        "sasl.oauthbearer.token.endpoint.url": ISSUER,
    }


def test_the_client_of_newer_versions_is_given_by_properties() -> None:
    prefix = "sasl.oauthbearer.client.credentials.client"
    login = f"{SECURITY}.oauthbearer.OAuthBearerLoginModule required;"
    newer = {f"{prefix}.id": "you", f"{prefix}.secret": "s", "sasl.jaas.config": login}
    properties = librdkafka_properties(OIDC | newer, token_urls=[ISSUER]).properties
    assert properties["sasl.oauthbearer.client.id"] == "you"
    assert "sasl.oauthbearer.extensions" not in properties


def test_pem_is_taken_from_properties_also_on_one_line() -> None:
    properties = librdkafka_properties(
        {
            "security.protocol": "SSL",
            "ssl.truststore.certificates": (BLOCK + BLOCK).replace("\n", " "),
            "ssl.keystore.key": ENCRYPTED_KEY,
            "ssl.keystore.certificate.chain": BLOCK.replace("\n", ""),
            "ssl.key.password": "p",
            "ssl.endpoint.identification.algorithm": "",
        }
    ).properties
    assert properties["ssl.ca.pem"] == BLOCK + BLOCK
    assert properties["ssl.key.pem"] == ENCRYPTED_KEY
    assert properties["ssl.certificate.pem"] == BLOCK
    assert properties["ssl.key.password"] == "p"
    assert properties["ssl.endpoint.identification.algorithm"] == "none"


@pytest.mark.parametrize(
    ("java", "translated"),
    [
        (
            {"ssl.truststore.type": "PEM", "ssl.truststore.location": "/ca.pem"},
            {"ssl.ca.location": "/ca.pem"},
        ),
        (
            {"ssl.keystore.type": "pem", "ssl.keystore.location": "/own.pem"},
            {"ssl.key.location": "/own.pem", "ssl.certificate.location": "/own.pem"},
        ),
        (
            {
                "ssl.keystore.type": "PKCS12",
                "ssl.keystore.location": "/own.p12",
                "ssl.keystore.password": "p",
                "ssl.key.password": "p",
            },
            {"ssl.keystore.location": "/own.p12", "ssl.keystore.password": "p"},
        ),
        ({"ssl.enabled.protocols": "TLSv1.3,TLSv1.2"}, {}),
    ],
)
def test_stores_that_librdkafka_reads_are_named_to_it(
    java: dict[str, str], translated: dict[str, str]
) -> None:
    properties = librdkafka_properties({"security.protocol": "SSL", **java}).properties
    without = librdkafka_properties({"security.protocol": "SSL"}).properties
    assert properties == without | translated


@pytest.mark.parametrize(
    ("java", "keys", "why"),
    [
        ({"security.protocol": "TELNET"}, ["security.protocol"], "none of PLAINTEXT"),
        ({"request.timeout.ms": "soon"}, ["request.timeout.ms"], "not a number"),
        ({"security.providers": "x.Y"}, ["security.providers"], "providers of Java"),
        ({"security.protocol": "SASL_SSL"}, ["sasl.mechanism"], "no GSSAPI"),
        (plain("x.IAMLoginModule required;", "AWS_MSK_IAM"), ["sasl.mechanism"], "no AWS_MSK_IAM"),
        (plain("x.Custom required a=b;"), ["sasl.jaas.config"], "another login module"),
        (plain(""), ["sasl.jaas.config"], "semicolon"),
        (plain(f"{PLAIN_LOGIN} username=me;"), ["sasl.jaas.config"], "has no password"),
        (
            plain(f"{SCRAM_LOGIN} username=a password=s tokenauth=true;", "SCRAM-SHA-256"),
            ["sasl.jaas.config"],
            "delegation tokens",
        ),
        (
            plain(f"{PLAIN_LOGIN} username=a password=s;")
            | {"sasl.login.callback.handler.class": "x.Y"},
            ["sasl.login.callback.handler.class"],
            "a class of Java",
        ),
        (
            plain(f"{PLAIN_LOGIN} username=a password=s;")
            | {"sasl.client.callback.handler.class": "x.Y"},
            ["sasl.client.callback.handler.class"],
            "a class of Java",
        ),
        (
            {"security.protocol": "SSL", "ssl.truststore.location": "/x.jks"},
            ["ssl.truststore.location", "ssl.truststore.type"],
            "type JKS; PEM",
        ),
        (
            {
                "security.protocol": "SSL",
                "ssl.truststore.location": "/x.p12",
                "ssl.truststore.type": "PKCS12",
            },
            ["ssl.truststore.location", "ssl.truststore.type"],
            "type PKCS12; PEM",
        ),
        (
            {"security.protocol": "SSL", "ssl.keystore.location": "/x.jks"},
            ["ssl.keystore.location", "ssl.keystore.type"],
            "type JKS",
        ),
        (
            {"security.protocol": "SSL", "ssl.keystore.key": "s3cret"},
            ["ssl.keystore.key"],
            "not PEM",
        ),
        (
            {"security.protocol": "SSL", "ssl.enabled.protocols": "TLSv1.3"},
            ["ssl.enabled.protocols"],
            "cannot be kept from",
        ),
        (
            {"security.protocol": "SSL", "ssl.cipher.suites": "TLS_AES_128_GCM_SHA256"},
            ["ssl.cipher.suites"],
            "Java's names",
        ),
        (
            {"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": "ldaps"},
            ["ssl.endpoint.identification.algorithm"],
            "https and none",
        ),
        (
            {
                "security.protocol": "SSL",
                "ssl.keystore.type": "PKCS12",
                "ssl.keystore.location": "/x.p12",
                "ssl.keystore.password": "s3cret",
                "ssl.key.password": "other",
            },
            ["ssl.key.password"],
            "one password",
        ),
        (OIDC, ["sasl.oauthbearer.token.endpoint.url"], "FRAZIL_OAUTHBEARER_URLS"),
        (
            OIDC | {"sasl.oauthbearer.token.endpoint.url": "file:///etc/token"},
            ["sasl.oauthbearer.token.endpoint.url"],
            "by HTTP alone",
        ),
        (
            OIDC | {"sasl.oauthbearer.jwt.retriever.class": "x.Y"},
            ["sasl.oauthbearer.jwt.retriever.class"],
            "client credentials",
        ),
        (
            OIDC
            | {
                "sasl.jaas.config": f"{SECURITY}.oauthbearer.OAuthBearerLoginModule required "
                'unsecuredLoginStringClaim_sub="s3cret";'
            },
            ["sasl.jaas.config"],
            "unsecuredLoginStringClaim_sub, which",
        ),
    ],
)
def test_what_librdkafka_cannot_be_is_refused_without_a_secret(
    java: dict[str, str], keys: list[str], why: str
) -> None:
    with pytest.raises(UntranslatableError, match=why) as caught:
        librdkafka_properties(java)
    assert list(caught.value.keys) == keys
    assert str(caught.value).startswith(", ".join(keys))
    assert "s3cret" not in repr(caught.value) + str(caught.value)


def test_a_translation_does_not_show_its_secrets() -> None:
    translation = librdkafka_properties(OIDC, token_urls=[ISSUER])
    assert "s3cret" not in repr(translation)
    assert "s3cret" not in repr(parse_login(OIDC["sasl.jaas.config"]))


@pytest.mark.parametrize(
    "java",
    [
        {},
        OIDC,
        plain(f"{SCRAM_LOGIN} username=me password=secret;", "SCRAM-SHA-512"),
        {
            "client.dns.lookup": "use_all_dns_ips",
            "connections.max.idle.ms": "1000",
            "enable.metrics.push": "false",
            "fetch.max.bytes": "2147483647",
            "max.partition.fetch.bytes": "1",
            "metadata.max.age.ms": "1",
            "metadata.recovery.strategy": "REBOOTSTRAP",
            "reconnect.backoff.ms": "900000",
            "retry.backoff.max.ms": "1",
        },
    ],
)
def test_librdkafka_takes_what_a_translation_says(java: dict[str, str]) -> None:
    translation = librdkafka_properties(java, token_urls=[ISSUER])
    Consumer({"group.id": "g", **translation.properties}).close()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('username="me" password="a b"', {"username": "me", "password": "a b"}),
        ("username='me' password='it\"s;'", {"username": "me", "password": 'it"s;'}),
        ("username=me\n  password=p-w_d", {"username": "me", "password": "p-w_d"}),
        ('a="" b="\\t\\101\\q"', {"a": "", "b": "\tAq"}),
        ('a = "1" /* "x" */ b="2" // c="3"\n', {"a": "1", "b": "2"}),
        ("", {}),
    ],
)
def test_options_of_a_login_are_read_as_java_reads_them(
    options: str, expected: dict[str, str]
) -> None:
    assert parse_login(f"x.Module required {options};").options == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "semicolon"),
        ("x.Module required a=b", "semicolon"),
        ("x.Module a=b;", "control flag"),
        ("x.Module required a=;", "without a value"),
        ("x.Module required a b;", "without a value"),
        ('x.Module required a="b;', "not closed"),
        ("x.Module required a=b; y.Module required;", "more than one"),
    ],
)
def test_what_is_no_login_is_refused(text: str, reason: str) -> None:
    with pytest.raises(JaasError, match=reason):
        parse_login(text)


@settings(derandomize=True, max_examples=100, deadline=None, database=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), min_size=0))
def test_any_password_survives_quoting(password: str) -> None:
    quoted = password.replace("\\", "\\\\").replace('"', '\\"')
    assert parse_login(f'x.Module required password="{quoted}";').options == {"password": password}


def test_pem_that_is_whole_stays_as_it_is() -> None:
    assert normalize_pem(BLOCK) == BLOCK
    with pytest.raises(ValueError, match="no BEGIN and END"):
        normalize_pem("/path/to/file.pem")
