"""Where a connector's settings may not send the Kafka clients of its worker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from py4j import java_gateway
from py4j.protocol import Py4JJavaError, get_return_value
from tests.support.spark import own_jvm

from frazil.runtime.hiding import Hiding

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

ALLOWED = "http://127.0.0.1:1/allowed"
OAUTH = {
    "bootstrap.servers": "127.0.0.1:1",
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "OAUTHBEARER",
    "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer."
    "OAuthBearerLoginCallbackHandler",
    "sasl.jaas.config": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule "
    'required clientId="c" clientSecret="s";',
    "sasl.login.retry.backoff.max.ms": "1",
    "sasl.login.retry.backoff.ms": "1",
}


@pytest.fixture(scope="module")
def admin() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FRAZIL_OAUTHBEARER_URLS", ALLOWED)
        # A test that started Spark has put PySpark's in its place, which cannot do without Spark.
        environment.setattr(java_gateway, "get_return_value", get_return_value)
        with own_jvm(Hiding()) as gateway:
            yield gateway.jvm.org.apache.kafka.clients.admin.Admin


def words(error: Py4JJavaError) -> str:
    """Return the words of an exception with those of its causes."""
    found, java = [], error.java_exception
    while java is not None:
        found.append(java.toString())
        java = java.getCause()
    return "\n".join(found)


def test_tokens_are_asked_for_only_where_the_operator_allows_it(admin: Any) -> None:
    for url, is_allowed in ((ALLOWED, True), ("http://127.0.0.1:1/other", False)):
        with pytest.raises(Py4JJavaError) as caught:
            admin.create({**OAUTH, "sasl.oauthbearer.token.endpoint.url": url})
        assert ("is not allowed" not in words(caught.value)) is is_allowed


def test_no_file_is_read_for_the_value_of_a_setting(admin: Any, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.write_text("servers=planted:1\n")
    settings = {
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
        "bootstrap.servers": f"${{file:{secrets}:servers}}",
    }
    with pytest.raises(Py4JJavaError) as caught:
        admin.create(settings)
    assert "FileConfigProvider is not allowed" in words(caught.value)
