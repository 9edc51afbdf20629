"""Types of the settings of Kafka's clients (4.3), of those whose text can be of the wrong type."""

from frazil.contracts.config import KeyType

_NAMES = {
    KeyType.BOOLEAN: """
        allow.auto.create.topics check.crcs enable.auto.commit enable.idempotence
        enable.metrics.push exclude.internal.topics partitioner.adaptive.partitioning.enable
        partitioner.ignore.keys sasl.oauthbearer.assertion.claim.jti.include
        sasl.oauthbearer.header.urlencode transaction.two.phase.commit.enable
    """,
    KeyType.INT: """
        auto.commit.interval.ms batch.size compression.gzip.level compression.lz4.level
        compression.zstd.level default.api.timeout.ms delivery.timeout.ms fetch.max.bytes
        fetch.max.wait.ms fetch.min.bytes heartbeat.interval.ms
        max.in.flight.requests.per.connection max.partition.fetch.bytes max.poll.interval.ms
        max.poll.records max.request.size metrics.num.samples receive.buffer.bytes
        request.timeout.ms retries sasl.login.connect.timeout.ms sasl.login.read.timeout.ms
        sasl.oauthbearer.assertion.claim.exp.seconds sasl.oauthbearer.assertion.claim.nbf.seconds
        sasl.oauthbearer.clock.skew.seconds send.buffer.bytes session.timeout.ms
        transaction.timeout.ms
    """,
    KeyType.LONG: """
        buffer.memory connections.max.idle.ms linger.ms max.block.ms metadata.max.age.ms
        metadata.max.idle.ms metadata.recovery.rebootstrap.trigger.ms metrics.sample.window.ms
        partitioner.availability.timeout.ms reconnect.backoff.max.ms reconnect.backoff.ms
        retry.backoff.max.ms retry.backoff.ms sasl.kerberos.min.time.before.relogin
        sasl.login.retry.backoff.max.ms sasl.login.retry.backoff.ms
        sasl.oauthbearer.jwks.endpoint.refresh.ms
        sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms
        sasl.oauthbearer.jwks.endpoint.retry.backoff.ms socket.connection.setup.timeout.max.ms
        socket.connection.setup.timeout.ms
    """,
    KeyType.SHORT: "sasl.login.refresh.buffer.seconds sasl.login.refresh.min.period.seconds",
    KeyType.DOUBLE: """
        sasl.kerberos.ticket.renew.jitter sasl.kerberos.ticket.renew.window.factor
        sasl.login.refresh.window.factor sasl.login.refresh.window.jitter
    """,
}

CLIENT_TYPES = {name: kind for kind, names in _NAMES.items() for name in names.split()}
