"""Properties of Kafka clients: the operator's, and what a connector changes of them."""

from collections.abc import Mapping

SERVERS = "bootstrap.servers"
_PROTOCOL = "security.protocol"
_ENCRYPTED = ("SSL", "SASL_SSL")
# By these the operator's own login is given.
_LOGIN = ("sasl.", "ssl.keystore.", "ssl.key.")
# By these it is decided who gets the login, and who can listen.
_RECEIVER = (
    "sasl.client.",
    "sasl.login.",
    "sasl.mechanism",
    "sasl.oauthbearer.",
    "security.providers",
    "ssl.cipher.suites",
    "ssl.enabled.protocols",
    "ssl.endpoint.identification.algorithm",
    "ssl.engine.factory.class",
    "ssl.protocol",
    "ssl.provider",
    "ssl.trustmanager.algorithm",
    "ssl.truststore.",
)


def overridden(operator: Mapping[str, str], *overrides: Mapping[str, str]) -> dict[str, str]:
    """Return the operator's properties with a connector's in their place, one after the other.

    The operator's login goes to the operator's brokers alone: a connector that names others, or
    changes how they are trusted, brings a login of its own.
    """
    chosen = {name: text for override in overrides for name, text in override.items()}
    kept = dict(operator)
    if _redirects(operator, chosen):
        kept = {name: text for name, text in operator.items() if not name.startswith(_LOGIN)}
    return kept | chosen


def _redirects(operator: Mapping[str, str], chosen: Mapping[str, str]) -> bool:
    changed = {name for name, text in chosen.items() if operator.get(name) != text}
    if SERVERS in changed and not _servers(chosen) <= _servers(operator):
        return True
    if _PROTOCOL in changed and _is_encrypted(operator) and not _is_encrypted(chosen):
        return True
    return any(name.startswith(_RECEIVER) for name in changed)


def _servers(properties: Mapping[str, str]) -> set[str]:
    return {server.strip() for server in properties.get(SERVERS, "").split(",")}


def _is_encrypted(properties: Mapping[str, str]) -> bool:
    return properties.get(_PROTOCOL, "").upper() in _ENCRYPTED
