"""Kafka Connect's Java client properties as librdkafka's, or why librdkafka cannot be that client.

What cannot be translated is read by Spark's Kafka source, with Java's own client.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from frazil.spark_sink.tasks.kafka_security import (
    UntranslatableError,
    login_properties,
    refuse,
    tls_properties,
)

_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_JAVA_ONLY = {
    "config.providers": "names classes of Java's client",
    "security.providers": "names security providers of Java",
}

# For an assigned consumer that reads exact ranges and commits nothing, these change nothing.
_WITHOUT_EFFECT = frozenset(
    {
        # Groups: partitions are assigned by the driver, which also commits the offsets.
        "auto.commit.interval.ms", "enable.auto.commit", "group.instance.id", "group.protocol",
        "group.remote.assignor", "heartbeat.interval.ms", "max.poll.interval.ms",
        "partition.assignment.strategy", "session.timeout.ms", "internal.leave.group.on.close",
        # Positions: each range says where it begins and ends.
        "auto.offset.reset", "allow.auto.create.topics", "exclude.internal.topics",
        # Batching: all records of a range are there already, and chunks have a size of their own.
        "fetch.max.wait.ms", "fetch.min.bytes", "max.poll.records",
        # Objects of Java: records stay bytes, and the worker has its own metrics.
        "key.deserializer", "value.deserializer", "metric.reporters", "auto.include.jmx.reporter",
        "metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms",
        # Waiting: a read is bounded as a whole.
        "default.api.timeout.ms", "socket.connection.setup.timeout.max.ms",
        # Algorithms by Java's names, of which OpenSSL has one.
        "ssl.keymanager.algorithm", "ssl.protocol", "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
        # Renewal of logins, which librdkafka does by itself.
        "sasl.login.connect.timeout.ms", "sasl.login.read.timeout.ms",
        "sasl.login.retry.backoff.max.ms", "sasl.login.retry.backoff.ms",
    }
)  # fmt: skip
_WITHOUT_EFFECT_PREFIXES = ("sasl.kerberos.", "sasl.login.refresh.", "metrics.context.")


@dataclass(frozen=True)
class Translation:
    """librdkafka's properties, which hold secrets, and the names of those it knows nothing of."""

    properties: dict[str, str] = field(repr=False)
    ignored: tuple[str, ...] = ()


def librdkafka_properties(
    java: Mapping[str, str], *, token_urls: Collection[str] = ()
) -> Translation:
    """Translate a consumer's properties. Raises UntranslatableError.

    Tokens of OAUTHBEARER are requested from `token_urls` alone, as Java's client does with its
    list of allowed addresses.
    """
    refuse(java, _JAVA_ONLY)
    protocol = java.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in _PROTOCOLS:
        raise UntranslatableError(["security.protocol"], f"is none of {', '.join(_PROTOCOLS)}")
    properties = {"security.protocol": protocol.lower(), **_plain_settings(java)}
    if protocol.endswith("SSL"):
        properties |= tls_properties(java)
    if protocol.startswith("SASL"):
        properties |= login_properties(java, token_urls)
    return Translation(properties, tuple(sorted(filter(_is_unknown, java))))


def _is_unknown(key: str) -> bool:
    return not (
        key in _SETTINGS
        or key in _TRANSLATED_TOGETHER
        or key in _WITHOUT_EFFECT
        or key.startswith(_WITHOUT_EFFECT_PREFIXES)
    )


_Setting = tuple[str, Callable[[str], str]]


def _as_it_is(text: str) -> str:
    return text


def _lower(text: str) -> str:
    return text.strip().lower()


def _number(low: int, high: int) -> Callable[[str], str]:
    def within(text: str) -> str:
        return str(min(max(int(text), low), high))

    return within


_MINUTES_5 = 300_000
_HOUR = 3_600_000
_INT32 = 2_147_483_647

# Java's property: librdkafka's property, and how its value is written there.
_SETTINGS: dict[str, _Setting] = {
    "bootstrap.servers": ("bootstrap.servers", _as_it_is),
    "check.crcs": ("check.crcs", _lower),
    "client.dns.lookup": ("client.dns.lookup", _lower),
    "client.id": ("client.id", _as_it_is),
    "client.rack": ("client.rack", _as_it_is),
    "connections.max.idle.ms": ("connections.max.idle.ms", _number(0, _INT32)),
    "enable.metrics.push": ("enable.metrics.push", _lower),
    "fetch.max.bytes": ("fetch.max.bytes", _number(0, 2_147_483_135)),
    "group.id": ("group.id", _as_it_is),
    "isolation.level": ("isolation.level", _lower),
    "max.partition.fetch.bytes": ("fetch.message.max.bytes", _number(1, 1_000_000_000)),
    "metadata.max.age.ms": ("topic.metadata.refresh.interval.ms", _number(10, _HOUR)),
    "metadata.recovery.rebootstrap.trigger.ms": (
        "metadata.recovery.rebootstrap.trigger.ms",
        _number(0, _INT32),
    ),
    "metadata.recovery.strategy": ("metadata.recovery.strategy", _lower),
    "receive.buffer.bytes": ("socket.receive.buffer.bytes", _number(0, 100_000_000)),
    "reconnect.backoff.max.ms": ("reconnect.backoff.max.ms", _number(0, _HOUR)),
    "reconnect.backoff.ms": ("reconnect.backoff.ms", _number(0, _HOUR)),
    "request.timeout.ms": ("socket.timeout.ms", _number(10, _MINUTES_5)),
    "retry.backoff.max.ms": ("retry.backoff.max.ms", _number(1, _MINUTES_5)),
    "retry.backoff.ms": ("retry.backoff.ms", _number(1, _MINUTES_5)),
    "send.buffer.bytes": ("socket.send.buffer.bytes", _number(0, 100_000_000)),
    "socket.connection.setup.timeout.ms": (
        "socket.connection.setup.timeout.ms",
        _number(1_000, _INT32),
    ),
}

# Where the defaults of both clients differ, Java's count: people know them from Kafka Connect.
_JAVA_DEFAULTS = {
    "check.crcs": "true",
    "isolation.level": "read_uncommitted",
    "reconnect.backoff.max.ms": "1000",
    "reconnect.backoff.ms": "50",
    "request.timeout.ms": "30000",
    "socket.connection.setup.timeout.ms": "10000",
}


def _plain_settings(java: Mapping[str, str]) -> dict[str, str]:
    properties = {}
    for key, text in (_JAVA_DEFAULTS | dict(java)).items():
        if key in _SETTINGS:
            name, write = _SETTINGS[key]
            try:
                properties[name] = write(text)
            except ValueError:
                raise UntranslatableError([key], "is not a number") from None
    # librdkafka refuses a first pause that is longer than the longest, Java shortens it.
    for first, longest in _PAUSES:
        if first in properties and longest in properties:
            properties[first] = min(properties[first], properties[longest], key=int)
    return properties


_PAUSES = (
    ("reconnect.backoff.ms", "reconnect.backoff.max.ms"),
    ("retry.backoff.ms", "retry.backoff.max.ms"),
)


_TRANSLATED_TOGETHER = frozenset(_JAVA_ONLY) | {
    "sasl.client.callback.handler.class",
    "sasl.login.class",
    "ssl.cipher.suites",
    "ssl.engine.factory.class",
    "ssl.provider",
    "security.protocol",
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.mechanism",
    "sasl.oauthbearer.client.credentials.client.id",
    "sasl.oauthbearer.client.credentials.client.secret",
    "sasl.oauthbearer.header.urlencode",
    "sasl.oauthbearer.jwt.retriever.class",
    "sasl.oauthbearer.scope",
    "sasl.oauthbearer.sub.claim.name",
    "sasl.oauthbearer.token.endpoint.url",
    "ssl.enabled.protocols",
    "ssl.endpoint.identification.algorithm",
    "ssl.key.password",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.keystore.type",
    "ssl.truststore.certificates",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.type",
}
