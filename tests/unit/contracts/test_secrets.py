"""Secrets: known by their names and within values, and nothing else is taken for one."""

import re

import pytest

from frazil.contracts.config import KeyType
from frazil.contracts.plugins import PLUGINS
from frazil.contracts.plugins.converter_keys import CONVERTERS
from frazil.contracts.plugins.transforms.chain import STAGE_PLUGINS
from frazil.contracts.secrets import HIDDEN, is_secret, texts_in, without_logins, without_secrets

# Words that make a reader think of a secret: a key with one of them has to be in a list below.
SUSPICIOUS = re.compile(
    "auth|certificate|connection|cookie|cred|hash|jaas|key|login|pass|pwd|sas|secret|sign|token",
    re.IGNORECASE,
)
OWN_SECRETS = {
    "value.converter.basic.auth.user.info",
    "value.converter.schema.registry.ssl.key.password",
}
OWN_ORDINARY = {
    "frazil.unknown.keys",
    "key.converter",
    "key.converter.*",
    "key.converter.plugin.version",
    "value.converter.basic.auth.credentials.source",
    "value.converter.schema.registry.ssl.keystore.location",
}
# Names that families take: of catalogs, file systems, Kafka's clients, Spark, registries.
SECRETS = [
    "iceberg.catalog.credential",
    "iceberg.catalog.token",
    "iceberg.catalog.jdbc.password",
    "iceberg.catalog.header.Authorization",
    "iceberg.catalog.header.Cookie",
    "iceberg.catalog.header.X-Api-Key",
    "iceberg.catalog.rest.auth.basic.password",
    "iceberg.catalog.rest.secret-access-key",
    "iceberg.catalog.s3.access-key-id",
    "iceberg.catalog.s3.secret-access-key",
    "iceberg.catalog.s3.session-token",
    "iceberg.catalog.s3.sse.key",
    "iceberg.catalog.gcs.oauth2.token",
    "iceberg.catalog.gcs.encryption-key",
    "iceberg.catalog.gcs.decryption-key",
    "iceberg.catalog.adls.auth.shared-key.account.key",
    "iceberg.catalog.adls.connection-string.lake",
    "iceberg.catalog.adls.sas-token.lake",
    "iceberg.hadoop.fs.azure.account.key.lake.dfs.core.windows.net",
    "iceberg.hadoop.fs.azure.sas.container.lake.blob.core.windows.net",
    "iceberg.hadoop.fs.s3a.access.key",
    "iceberg.hadoop.fs.s3a.secret.key",
    "iceberg.hadoop.fs.s3a.encryption.key",
    "iceberg.kafka.sasl.jaas.config",
    "consumer.override.sasl.jaas.config",
    "consumer.override.ssl.key.password",
    "consumer.override.ssl.keystore.certificate.chain",
    "consumer.override.ssl.keystore.key",
    "consumer.override.ssl.keystore.password",
    "consumer.override.ssl.truststore.certificates",
    "consumer.override.ssl.truststore.password",
    "consumer.override.sasl.oauthbearer.client.credentials.client.secret",
    "consumer.override.sasl.oauthbearer.assertion.private.key.passphrase",
    "value.converter.schema.registry.ssl.keystore.password",
    "value.converter.bearer.auth.token",
    "spark.authenticate.secret",
    "spark.ssl.keyPassword",
    "spark.hadoop.fs.s3a.secret.key",
    "gcs.keyfile",
    "connection.password",
    "apiKey",
    "encryption.key",
]
ORDINARY = [
    "key.converter",
    "key.converter.schemas.enable",
    "transforms.copy.key.field",
    "transforms.copy.key.fields",
    "transforms.MaskPassword.type",
    "transforms.MaskPassword.replacement",
    "transforms.tokens.predicate",
    "predicates.isToken.pattern",
    "iceberg.table.db.tokens.id-columns",
    "iceberg.table.db.secrets.partition-by",
    "iceberg.table.db.passwords.route-regex",
    "iceberg.table.db.users.type.api_key",
    "iceberg.table.write-props.write.metadata.metrics.column.token",
    "iceberg.tables.auto-create-props.write.parquet.bloom-filter-enabled.column.api_key",
    "iceberg.tables.auto-create-props.encryption.key-id",
    "frazil.tables.conflict.password",
    "frazil.tables.type.user.token",
    "topic.creation.tokens.partitions",
    "iceberg.catalog.jdbc.user",
    "iceberg.catalog.oauth2-server-uri",
    "iceberg.catalog.token-refresh-enabled",
    "iceberg.catalog.token-exchange-enabled",
    "iceberg.catalog.client.credentials-provider",
    "iceberg.catalog.client.refresh-credentials-endpoint",
    "iceberg.catalog.gcs.oauth2.token-expires-at",
    "iceberg.catalog.adls.auth.shared-key.account.name",
    "iceberg.catalog.rest.signing-name",
    "iceberg.catalog.s3.sse.type",
    "consumer.override.sasl.mechanism",
    "consumer.override.sasl.oauthbearer.token.endpoint.url",
    "consumer.override.sasl.oauthbearer.assertion.private.key.file",
    "consumer.override.ssl.keystore.location",
    "consumer.override.ssl.keystore.type",
    "spark.hadoop.fs.s3a.aws.credentials.provider",
    "table.primary.key",
    "partition.key",
]


def own_names() -> dict[str, bool]:
    """Name all keys that are declared, and whether each has the type of passwords."""
    keys = [(key.name, key) for plugin in PLUGINS for key in plugin.keys + plugin.common_keys]
    keys += [(f"transforms.x.{key.name}", key) for one in STAGE_PLUGINS for key in one.stage.keys]
    keys += [(f"value.converter.{key.name}", key) for one in CONVERTERS for key in one.keys]
    found = {name: key.type is KeyType.PASSWORD for name, key in keys}
    return found | {family.form: False for one in PLUGINS for family in one.families}


def test_every_key_of_every_plugin_that_looks_like_a_secret_is_decided_on() -> None:
    found = {name for name in own_names() if SUSPICIOUS.search(name)}
    assert found == OWN_SECRETS | OWN_ORDINARY


def test_the_type_and_the_name_of_a_declared_key_agree() -> None:
    names = own_names()
    assert {name for name in names if is_secret(name)} == OWN_SECRETS
    assert {name for name, is_password in names.items() if is_password} == OWN_SECRETS


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_known_by_its_name(name: str) -> None:
    assert without_secrets({name: "tr0ub4dor"}) == {name: HIDDEN}


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_setting_is_shown(name: str) -> None:
    assert without_secrets({name: "value"}) == {name: "value"}


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.class_name)
def test_no_validation_shows_a_secret(plugin: object, name: str) -> None:
    answer = plugin.validate({"name": "x", name: "tr0ub4dor"})  # type: ignore[attr-defined]
    assert "tr0ub4dor" not in answer.model_dump_json()


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (
            "jdbc:postgresql://h/db?user=u&password=tr0ub&ssl=true",
            f"jdbc:postgresql://h/db?user=u&password={HIDDEN}&ssl=true",
        ),
        ("https://u:tr0ub@host/x", f"https://u:{HIDDEN}@host/x"),
        ("https://u:tr@ub@host/x", f"https://u:{HIDDEN}@host/x"),
        ("a http://h:1/x,http://:tr0ub@h", f"a http://h:1/x,http://:{HIDDEN}@h"),
        ('x required password="tr 0ub";', f'x required password="{HIDDEN}";'),
        ("x required password = \"tr0ub\" y='z'", f"x required password = \"{HIDDEN}\" y='z'"),
        ("host=h password='tr 0ub' user=u", f"host=h password='{HIDDEN}' user=u"),
        (
            "Endpoint=x;AccountKey=dHIwdWI==;EndpointSuffix=y",
            f"Endpoint=x;AccountKey={HIDDEN};EndpointSuffix=y",
        ),
        ("jdbc:x?password=${env:P}&a=b", "jdbc:x?password=${env:P}&a=b"),
        ("https://u:${env:P}@host", "https://u:${env:P}@host"),
        ("https://host:8181/path?a=u:v@w", "https://host:8181/path?a=u:v@w"),
        ("u:p@h", "u:p@h"),
    ],
)
def test_a_password_within_a_value_is_masked_and_the_rest_is_shown(text: str, masked: str) -> None:
    assert without_logins(text) == masked
    assert without_secrets({"connection.url": text}) == {"connection.url": masked}


def test_a_login_within_a_value_is_in_no_answer_of_a_validation() -> None:
    plugin = PLUGINS[0]
    url = "jdbc:postgresql://h/db?user=u&password=tr0ub4dor"
    config = {
        "name": "x",
        "connector.class": "IcebergSink",
        "iceberg.catalog.uri": url,
        "tasks.max": url,
        "errors.tolerance": url,
        "topics": f"{url},{url}",
    }
    assert "tr0ub4dor" not in plugin.validate(config).model_dump_json()


def test_texts_for_logs_have_logins_as_http_sends_them() -> None:
    config = {
        "rest.auth.basic.username": "ada",
        "rest.auth.basic.password": "tr0ub4dor",
        "proxy": "http://bob:c0rrect@h",
        "plain": "value",
    }
    assert set(texts_in(config)) == {"tr0ub4dor", "ada:tr0ub4dor", "c0rrect", "bob:c0rrect"}


@pytest.mark.parametrize("part", ["password", "//", "//a:", "${", "token =", "a@:/"])
def test_a_long_value_of_bad_will_is_read_in_linear_time(part: str) -> None:
    text = part * 200_000
    # A search whose time grows with the square of the length would not end here.
    assert without_logins(text) == text
