"""TLS and logins of Java's Kafka client as librdkafka has them.

A setting that restricts something (ciphers, protocols, providers) is never dropped: it is
translated, or refused.
"""

from collections.abc import Collection, Mapping, Sequence

from frazil.spark_sink.tasks.jaas import JaasError, Login, parse_login
from frazil.spark_sink.tasks.pem import normalize_pem

_SECURITY = "org.apache.kafka.common.security."
_LOGIN_MODULES = {
    "PLAIN": f"{_SECURITY}plain.PlainLoginModule",
    "SCRAM-SHA-256": f"{_SECURITY}scram.ScramLoginModule",
    "SCRAM-SHA-512": f"{_SECURITY}scram.ScramLoginModule",
    "OAUTHBEARER": f"{_SECURITY}oauthbearer.OAuthBearerLoginModule",
}
_OIDC_HANDLERS = (
    f"{_SECURITY}oauthbearer.OAuthBearerLoginCallbackHandler",
    f"{_SECURITY}oauthbearer.secured.OAuthBearerLoginCallbackHandler",
)
_OIDC_RETRIEVERS = (
    f"{_SECURITY}oauthbearer.DefaultJwtRetriever",
    f"{_SECURITY}oauthbearer.ClientCredentialsJwtRetriever",
)
_EXTENSION = "extension_"
_DEFAULT_TLS = frozenset({"TLSv1.2", "TLSv1.3"})
_CLIENT_HANDLER = f"{_SECURITY}oauthbearer.internals.OAuthBearerSaslClientCallbackHandler"
_A_CLASS = "is a class of Java's client"
_TLS_OF_JAVA = {
    "ssl.cipher.suites": "has Java's names of cipher suites",
    "ssl.engine.factory.class": _A_CLASS,
    "ssl.provider": "is a security provider of Java",
}
_LOGINS_OF_JAVA = {
    "sasl.client.callback.handler.class": _A_CLASS,
    "sasl.login.class": _A_CLASS,
}


class UntranslatableError(Exception):
    """librdkafka cannot be this client. `why` has no value of the properties `keys`."""

    def __init__(self, keys: Sequence[str], why: str) -> None:
        super().__init__(keys, why)
        self.keys = tuple(keys)
        self.why = why

    def __str__(self) -> str:
        return f"{', '.join(self.keys)}: {self.why}"


def refuse(java: Mapping[str, str], reasons: Mapping[str, str]) -> None:
    """Raise UntranslatableError if one of these properties is set."""
    for key, why in reasons.items():
        if java.get(key, "").strip():
            raise UntranslatableError([key], why)


def tls_properties(java: Mapping[str, str]) -> dict[str, str]:
    """Translate the `ssl.*` properties. Raises UntranslatableError."""
    refuse(java, _TLS_OF_JAVA)
    enabled = {name.strip() for name in java.get("ssl.enabled.protocols", "").split(",")} - {""}
    if enabled and not enabled >= _DEFAULT_TLS:
        raise UntranslatableError(
            ["ssl.enabled.protocols"], "librdkafka cannot be kept from TLSv1.2 or TLSv1.3"
        )
    algorithm = java.get("ssl.endpoint.identification.algorithm", "https").strip().lower()
    if algorithm not in ("", "https"):
        raise UntranslatableError(
            ["ssl.endpoint.identification.algorithm"], "librdkafka has https and none"
        )
    return {
        "ssl.endpoint.identification.algorithm": algorithm or "none",
        **_truststore(java),
        **_keystore(java),
    }


def _truststore(java: Mapping[str, str]) -> dict[str, str]:
    if certificates := java.get("ssl.truststore.certificates"):
        return {"ssl.ca.pem": _pem("ssl.truststore.certificates", certificates)}
    location = java.get("ssl.truststore.location")
    if not location:
        return {}
    kind = java.get("ssl.truststore.type", "JKS").upper()
    if kind != "PEM":
        raise UntranslatableError(
            ["ssl.truststore.location", "ssl.truststore.type"],
            f"librdkafka reads no truststore of type {kind}; PEM with ssl.truststore.type=PEM",
        )
    return {"ssl.ca.location": location}


def _keystore(java: Mapping[str, str]) -> dict[str, str]:
    password = _present({"ssl.key.password": java.get("ssl.key.password")})
    if key := java.get("ssl.keystore.key"):
        chain = java.get("ssl.keystore.certificate.chain", "")
        return password | {
            "ssl.key.pem": _pem("ssl.keystore.key", key),
            "ssl.certificate.pem": _pem("ssl.keystore.certificate.chain", chain),
        }
    location = java.get("ssl.keystore.location")
    if not location:
        return {}
    kind = java.get("ssl.keystore.type", "JKS").upper()
    if kind == "PEM":
        return password | {"ssl.key.location": location, "ssl.certificate.location": location}
    if kind == "PKCS12":
        return _pkcs12(java, location)
    raise UntranslatableError(
        ["ssl.keystore.location", "ssl.keystore.type"],
        f"librdkafka reads no keystore of type {kind}; PEM and PKCS12 with ssl.keystore.type",
    )


def _pkcs12(java: Mapping[str, str], location: str) -> dict[str, str]:
    password = java.get("ssl.keystore.password", "")
    if java.get("ssl.key.password", password) != password:
        raise UntranslatableError(
            ["ssl.key.password"], "a PKCS12 keystore has one password in librdkafka"
        )
    return {"ssl.keystore.location": location, "ssl.keystore.password": password}


def _pem(key: str, text: str) -> str:
    try:
        return normalize_pem(text)
    except ValueError as error:
        raise UntranslatableError([key], str(error)) from None


def login_properties(java: Mapping[str, str], token_urls: Collection[str]) -> dict[str, str]:
    """Translate the `sasl.*` properties. Raises UntranslatableError."""
    refuse(java, _LOGINS_OF_JAVA)
    mechanism = java.get("sasl.mechanism", "GSSAPI").strip()
    if mechanism not in _LOGIN_MODULES:
        raise UntranslatableError(
            ["sasl.mechanism"],
            f"this build of librdkafka has {', '.join(_LOGIN_MODULES)} and no {mechanism}",
        )
    login = _login(java, mechanism)
    if mechanism == "OAUTHBEARER":
        return {"sasl.mechanism": mechanism, **_oidc(java, login, token_urls)}
    _refuse_handler(java)
    if login.options.get("tokenauth", "false").lower() == "true":
        raise UntranslatableError(["sasl.jaas.config"], "librdkafka has no delegation tokens")
    return {
        "sasl.mechanism": mechanism,
        "sasl.username": _option(login, "username"),
        "sasl.password": _option(login, "password"),
    }


def _login(java: Mapping[str, str], mechanism: str) -> Login:
    try:
        login = parse_login(java.get("sasl.jaas.config", ""))
    except JaasError as error:
        raise UntranslatableError(["sasl.jaas.config"], str(error)) from None
    if login.module != _LOGIN_MODULES[mechanism]:
        raise UntranslatableError(
            ["sasl.jaas.config"], f"names another login module than {_LOGIN_MODULES[mechanism]}"
        )
    return login


def _option(login: Login, name: str) -> str:
    if name not in login.options:
        raise UntranslatableError(["sasl.jaas.config"], f"has no {name}")
    return login.options[name]


def _refuse_handler(java: Mapping[str, str], *, but: Collection[str] = ()) -> None:
    key = "sasl.login.callback.handler.class"
    if java.get(key, "").strip() and java[key].strip() not in but:
        raise UntranslatableError([key], _A_CLASS)


def _oidc(java: Mapping[str, str], login: Login, token_urls: Collection[str]) -> dict[str, str]:
    _refuse_handler(java, but=_OIDC_HANDLERS)
    _refuse_other_oidc(java, login)
    options = login.options
    prefix = "sasl.oauthbearer.client.credentials.client"
    client = {
        "sasl.oauthbearer.client.id": java.get(f"{prefix}.id") or options.get("clientId"),
        "sasl.oauthbearer.client.secret": java.get(f"{prefix}.secret")
        or options.get("clientSecret"),
    }
    if not all(client.values()):
        raise UntranslatableError(["sasl.jaas.config"], "has no clientId and clientSecret")
    return _present(
        {
            "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.token.endpoint.url": _token_url(java, token_urls),
            **client,
            "sasl.oauthbearer.scope": java.get("sasl.oauthbearer.scope") or options.get("scope"),
            "sasl.oauthbearer.extensions": _extensions(options),
            "sasl.oauthbearer.sub.claim.name": java.get("sasl.oauthbearer.sub.claim.name"),
        }
    )


def _refuse_other_oidc(java: Mapping[str, str], login: Login) -> None:
    retriever = "sasl.oauthbearer.jwt.retriever.class"
    if java.get(retriever, _OIDC_RETRIEVERS[0]) not in _OIDC_RETRIEVERS:
        raise UntranslatableError([retriever], "another way to a token than client credentials")
    if java.get("sasl.oauthbearer.header.urlencode", "false").strip().lower() == "true":
        raise UntranslatableError(
            ["sasl.oauthbearer.header.urlencode"], "librdkafka does not encode the client's name"
        )
    own = {"clientId", "clientSecret", "scope"}
    other = [name for name in login.options if name not in own and _EXTENSION not in name]
    if other:
        raise UntranslatableError(
            ["sasl.jaas.config"], f"has {', '.join(other)}, which librdkafka has not"
        )


def _token_url(java: Mapping[str, str], token_urls: Collection[str]) -> str:
    key = "sasl.oauthbearer.token.endpoint.url"
    url = java.get(key, "").strip()
    if not url.lower().startswith(("http://", "https://")):
        raise UntranslatableError([key], "librdkafka gets tokens by HTTP alone")
    if url not in token_urls:
        raise UntranslatableError(
            [key], "is none of the addresses that the operator allows (FRAZIL_OAUTHBEARER_URLS)"
        )
    return url


def _extensions(options: Mapping[str, str]) -> str | None:
    extensions = {
        name.removeprefix(_EXTENSION): value
        for name, value in options.items()
        if name.startswith(_EXTENSION)
    }
    if any("," in value for value in extensions.values()):
        raise UntranslatableError(
            ["sasl.jaas.config"], "has an extension with a comma, which librdkafka splits"
        )
    return ",".join(f"{name}={value}" for name, value in extensions.items()) or None


def _present(properties: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name, text in properties.items() if text is not None}
