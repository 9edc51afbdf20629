"""Ranges of a real broker are read exactly, whatever is in them and however the client logs in."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import IsolationLevel, TopicPartition, admin
from tests.support.kafka_listeners import PASSWORD, USER, Certificates, ListeningBroker
from tests.support.lab import wait_until
from tests.support.token_issuer import token_issuer

from frazil.spark_sink.records.model import KafkaRecord
from frazil.spark_sink.tasks.kafka_client import librdkafka_properties
from frazil.spark_sink.tasks.read_errors import (
    AccessError,
    BrokerUnavailableError,
    DataLossError,
    UnknownPartitionError,
)
from frazil.spark_sink.tasks.reader import OffsetRange, RangeReader, range_reader

SECURITY = "org.apache.kafka.common.security"
# Its stubs do not say what it exports.
kafka: Any = admin
COMMITTED = {"isolation.level": "read_committed"}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ListeningBroker]:
    broker = ListeningBroker(tmp_path_factory.mktemp("broker"))
    yield broker
    broker.stop()


@pytest.fixture
def topic(broker: ListeningBroker, request: pytest.FixtureRequest) -> str:
    name = "".join(char if char.isalnum() else "-" for char in request.node.name)
    broker.create_topic(name)
    return name


Connect = Callable[..., RangeReader]


@pytest.fixture
def connect(broker: ListeningBroker) -> Iterator[Connect]:
    """Make readers by Java's properties, and close them."""
    readers: list[RangeReader] = []

    def connect(
        java: Mapping[str, str] | None = None, *, patience: float = 60, **more: Any
    ) -> RangeReader:
        given = {"bootstrap.servers": broker.plain, **(java or {})}
        properties = librdkafka_properties(given, **more).properties
        readers.append(RangeReader(properties, patience=patience))
        return readers[-1]

    yield connect
    for reader in readers:
        reader.close()


def values(reader: RangeReader, topic: str, start: int, end: int, **limits: int) -> list[Any]:
    chunks = reader.read(OffsetRange(topic, 0, start, end), **limits)
    return [value for chunk in chunks for value in chunk.values()]


def numbered(numbers: Iterable[int]) -> list[bytes]:
    return [b"%d" % number for number in numbers]


def produce_in_transactions(broker: ListeningBroker, topic: str, *commits: bool) -> None:
    """Send ten records in each transaction; each leaves eleven offsets."""
    producer = broker.producer(transactional_id=topic)
    producer.init_transactions(30)
    for number, commit in enumerate(commits):
        producer.begin_transaction()
        for value in numbered(range(number * 10, number * 10 + 10)):
            producer.produce(topic, value, partition=0)
        producer.flush(30)
        (producer.commit_transaction if commit else producer.abort_transaction)(30)


def end_of(broker: ListeningBroker, topic: str, isolation: IsolationLevel) -> int:
    """Ask for the end as the driver does, which is the last stable offset for read_committed."""
    partition = TopicPartition(topic, 0)
    asked = broker.admin.list_offsets(
        {partition: kafka.OffsetSpec.latest()}, isolation_level=isolation, request_timeout=30
    )
    return int(asked[partition].result(30).offset)


def test_records_are_delivered_as_they_were_sent(
    broker: ListeningBroker, topic: str, connect: Connect
) -> None:
    headers: list[tuple[str, Any]] = [("a", b"1"), ("a", None), ("ä", b"")]
    producer = broker.producer()
    producer.produce(topic, b"v", b"k", 0, timestamp=1_700_000_000_123, headers=headers)
    producer.produce(topic, None, b"k", 0, timestamp=5)
    producer.produce(topic, b"", b"", 0, timestamp=5)
    assert producer.flush(30) == 0
    (chunk,) = connect().read(OffsetRange(topic, 0, 0, 3))
    assert chunk.records() == [
        KafkaRecord(topic, 0, 0, 1_700_000_000_123, b"k", b"v", tuple(headers)),
        KafkaRecord(topic, 0, 1, 5, b"k", None),
        KafkaRecord(topic, 0, 2, 5, b"", b""),
    ]


def test_ranges_of_two_partitions_in_turn_lack_nothing_and_repeat_nothing(
    broker: ListeningBroker, connect: Connect
) -> None:
    broker.create_topic("in-turn", 2)
    for partition in (0, 1):
        broker.produce("in-turn", numbered(range(5000)), partition=partition)
    reader = connect()
    read: dict[int, list[int]] = {0: [], 1: []}
    for start in range(0, 5000, 700):
        for partition in (0, 1):
            span = OffsetRange("in-turn", partition, start, min(start + 700, 5000))
            for chunk in reader.read(span, chunk=100):
                read[partition] += chunk.offsets()
    assert read == {0: list(range(5000)), 1: list(range(5000))}


def test_a_reader_that_is_kept_gets_records_that_come_later(
    broker: ListeningBroker, topic: str, connect: Connect
) -> None:
    reader = connect()
    for start in range(0, 50, 10):
        broker.produce(topic, numbered(range(start, start + 10)))
        assert values(reader, topic, start, start + 10) == numbered(range(start, start + 10))


def test_a_forked_process_reads_beside_its_parent(broker: ListeningBroker, topic: str) -> None:
    broker.produce(topic, numbered(range(20)))
    properties = librdkafka_properties({"bootstrap.servers": broker.plain}).properties
    assert values(range_reader(properties), topic, 0, 10) == numbered(range(10))
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(
        target=lambda: answers.put(values(range_reader(properties), topic, 5, 15))
    )
    child.start()
    try:
        assert answers.get(timeout=60) == numbered(range(5, 15))
    finally:
        child.join(30)
        child.kill()
    assert values(range_reader(properties), topic, 10, 20) == numbered(range(10, 20))
    range_reader(properties).close()


def test_compaction_leaves_gaps_that_are_read_over(
    broker: ListeningBroker, connect: Connect
) -> None:
    broker.create_topic(
        "compacted",
        cleanup_policy="compact",
        min_cleanable_dirty_ratio="0.001",
        segment_ms="100",
        delete_retention_ms="0",
    )
    # A hundred keys: the last record of each stays, and what follows has the first key again.
    broker.produce("compacted", numbered(range(1000)))
    reader = connect()

    def compacted() -> bool:
        # The newest segment is not compacted, so another one has to begin.
        broker.produce("compacted", [b"newer"])
        return values(reader, "compacted", 0, 901) == []

    wait_until("the topic is compacted", compacted, 120, every=0.3)
    left = numbered(range(901, 1000))
    assert values(reader, "compacted", 0, 1000) == left
    pieces = [values(reader, "compacted", at, min(at + 7, 1000)) for at in range(0, 1000, 7)]
    assert [value for piece in pieces for value in piece] == left


def test_committed_records_alone_are_read_if_the_connector_wants_it(
    broker: ListeningBroker, topic: str, connect: Connect
) -> None:
    produce_in_transactions(broker, topic, True, False, True, False)
    reader = connect(COMMITTED)
    committed = numbered([*range(10), *range(20, 30)])
    assert values(reader, topic, 0, 44) == committed
    # Each cut: in a transaction, before and behind a marker, in aborted records.
    for cut in (5, 10, 11, 15, 21, 22, 32, 33, 40, 43):
        assert values(reader, topic, 0, cut) + values(reader, topic, cut, 44) == committed
    assert values(reader, topic, 33, 44) == []
    assert values(reader, topic, 43, 44) == []
    assert values(connect(), topic, 0, 44) == numbered(range(40))


def test_an_open_transaction_ends_the_partition_for_committed_readers(
    broker: ListeningBroker, topic: str, connect: Connect
) -> None:
    produce_in_transactions(broker, topic, True)
    producer = broker.producer(transactional_id="open")
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"open", partition=0)
    assert producer.flush(30) == 0
    assert end_of(broker, topic, IsolationLevel.READ_UNCOMMITTED) == 12
    assert end_of(broker, topic, IsolationLevel.READ_COMMITTED) == 11
    assert values(connect(COMMITTED), topic, 0, 11) == numbered(range(10))
    assert values(connect(), topic, 0, 12) == [*numbered(range(10)), b"open"]
    with pytest.raises(BrokerUnavailableError, match="the partition ends at offset 11"):
        values(connect(COMMITTED, patience=1), topic, 0, 12)
    producer.commit_transaction(30)
    assert values(connect(COMMITTED), topic, 0, 13) == [*numbered(range(10)), b"open"]


def test_records_that_retention_took_are_an_error_with_what_is_left(
    broker: ListeningBroker, topic: str, connect: Connect
) -> None:
    broker.produce(topic, numbered(range(100)))
    reader = connect()
    assert values(reader, topic, 0, 10) == numbered(range(10))
    broker.ask(lambda: broker.admin.delete_records([TopicPartition(topic, 0, 50)]))
    for fresh in (reader, connect()):
        with pytest.raises(DataLossError, match="before offset 50 were deleted") as caught:
            values(fresh, topic, 20, 80)
        assert (caught.value.earliest, caught.value.latest) == (50, 100)
        assert values(fresh, topic, 50, 100) == numbered(range(50, 100))


def test_a_deleted_topic_is_unknown_and_another_under_its_name_has_lost_its_records(
    broker: ListeningBroker, topic: str, connect: Connect
) -> None:
    broker.produce(topic, numbered(range(100)))
    reader = connect()
    assert values(reader, topic, 0, 50) == numbered(range(50))
    broker.ask(lambda: broker.admin.delete_topics([topic]))
    wait_until("the topic is gone", lambda: topic not in broker.admin.list_topics().topics, 60)
    for fresh in (reader, connect()):
        with pytest.raises(UnknownPartitionError, match=topic):
            values(fresh, topic, 200, 300)
    broker.create_topic(topic)
    broker.produce(topic, numbered(range(1000, 1010)))
    for fresh in (reader, connect()):
        with pytest.raises(DataLossError, match="has offsets 0 to 10 now; was the topic created"):
            values(fresh, topic, 100, 110)
        assert values(fresh, topic, 0, 10) == numbered(range(1000, 1010))


def test_a_partition_that_never_was_is_unknown(topic: str, connect: Connect) -> None:
    with pytest.raises(UnknownPartitionError, match=f"{topic}-7"):
        list(connect().read(OffsetRange(topic, 7, 0, 1)))


@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
def test_large_records_come_one_at_a_time(
    broker: ListeningBroker, connect: Connect, codec: str
) -> None:
    name = f"large-{codec}"
    broker.create_topic(name, max_message_bytes="100000000")
    sizes = [20_000_000, 10, 20_000_000, 64_000_000, 20_000_000, 10]
    block = os.urandom(1 << 20)
    sent = [(block * (size // len(block) + 1))[:size] for size in sizes]
    broker.produce(name, sent, compression_codec=codec)
    lengths, equal = [], []
    for chunk in connect().read(OffsetRange(name, 0, 0, len(sent))):
        (value,) = chunk.values()
        lengths.append(len(value or b""))
        equal.append(value == sent[chunk.offsets()[0]])
    assert lengths == sizes
    assert all(equal)


# --- Logins ---------------------------------------------------------------------------------------


def login(mechanism: str, password: str = PASSWORD) -> dict[str, str]:
    module = "plain.PlainLoginModule" if mechanism == "PLAIN" else "scram.ScramLoginModule"
    quoted = password.replace('"', '\\"')
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": f'{SECURITY}.{module} required username={USER} password="{quoted}";',
    }


@pytest.fixture(scope="module")
def scram_user(broker: ListeningBroker) -> None:
    for mechanism in (kafka.ScramMechanism.SCRAM_SHA_256, kafka.ScramMechanism.SCRAM_SHA_512):
        credentials = kafka.UserScramCredentialUpsertion(
            USER, kafka.ScramCredentialInfo(mechanism, 4096), PASSWORD.encode()
        )
        broker.ask(partial(broker.admin.alter_user_scram_credentials, [credentials]))


@pytest.mark.usefixtures("scram_user")
@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_login_by_password_is_asked_for_and_taken(
    broker: ListeningBroker, topic: str, connect: Connect, mechanism: str
) -> None:
    broker.produce(topic, numbered(range(5)))
    servers = {"bootstrap.servers": broker.sasl}
    assert values(connect(login(mechanism) | servers), topic, 0, 5) == numbered(range(5))
    with pytest.raises(AccessError, match=r"(?i)authentication") as caught:
        values(connect(login(mechanism, "wr0ng") | servers), topic, 0, 5)
    assert "wr0ng" not in str(caught.value)


def test_a_login_by_token_is_asked_for_and_taken(
    broker: ListeningBroker, topic: str, connect: Connect
) -> None:
    broker.produce(topic, numbered(range(5)))
    module = f"{SECURITY}.oauthbearer.OAuthBearerLoginModule required"
    with token_issuer(USER, "client", "s3cret") as url:
        java = {
            "bootstrap.servers": broker.sasl,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.login.callback.handler.class": f"{SECURITY}.oauthbearer."
            "OAuthBearerLoginCallbackHandler",
            "sasl.oauthbearer.token.endpoint.url": url,
            "sasl.jaas.config": f'{module} clientId="client" clientSecret="s3cret";',
        }
        assert values(connect(java, token_urls=[url]), topic, 0, 5) == numbered(range(5))
        java["sasl.jaas.config"] = f'{module} clientId="client" clientSecret="wr0ng";'
        with pytest.raises(AccessError, match=r"(?i)token") as caught:
            values(connect(java, token_urls=[url]), topic, 0, 5)
    assert "wr0ng" not in str(caught.value)


@pytest.mark.parametrize("may_describe", [True, False])
def test_a_topic_that_the_login_may_not_read_is_refused(
    broker: ListeningBroker, topic: str, connect: Connect, may_describe: bool
) -> None:
    broker.produce(topic, numbered(range(5)))
    # With a rule for a topic, only what rules allow is allowed.
    operation = kafka.AclOperation.DESCRIBE if may_describe else kafka.AclOperation.ALTER
    rule = kafka.AclBinding(
        kafka.ResourceType.TOPIC,
        topic,
        kafka.ResourcePatternType.LITERAL,
        f"User:{USER}",
        "*",
        operation,
        kafka.AclPermissionType.ALLOW,
    )
    broker.ask(lambda: broker.admin.create_acls([rule]))
    reader = connect(login("PLAIN") | {"bootstrap.servers": broker.sasl})
    with pytest.raises(AccessError, match=r"(?i)authoriz"):
        values(reader, topic, 0, 5)


# --- Certificates ---------------------------------------------------------------------------------


def pem_in_properties(certificates: Certificates) -> dict[str, str]:
    key, chain = certificates.issue("client.test")
    return {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": certificates.authority_pem.replace("\n", " "),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": key.replace("\n", " "),
        "ssl.keystore.certificate.chain": chain,
    }


def pem_in_files(certificates: Certificates) -> dict[str, str]:
    own = certificates.write("client.pem", *certificates.issue("client.test"))
    trusted = certificates.write("trusted.pem", certificates.authority_pem)
    return {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(trusted),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(own),
    }


def pkcs12_file(certificates: Certificates) -> dict[str, str]:
    return {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": certificates.authority_pem,
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": str(certificates.write_pkcs12("client.p12", PASSWORD)),
        "ssl.keystore.password": PASSWORD,
    }


@pytest.mark.parametrize("stores", [pem_in_properties, pem_in_files, pkcs12_file])
def test_a_certificate_is_asked_for_and_taken(
    broker: ListeningBroker,
    topic: str,
    connect: Connect,
    stores: Callable[[Certificates], dict[str, str]],
) -> None:
    broker.produce(topic, numbered(range(5)))
    java = {"bootstrap.servers": broker.ssl, "security.protocol": "SSL"}
    reader = connect(java | stores(broker.certificates))
    assert values(reader, topic, 0, 5) == numbered(range(5))


@pytest.mark.parametrize(
    "lacking",
    ["ssl.truststore.certificates", "ssl.keystore.key", "ssl.keystore.certificate.chain"],
)
def test_without_trust_or_a_certificate_access_is_refused(
    broker: ListeningBroker, topic: str, connect: Connect, lacking: str, tmp_path: Path
) -> None:
    stranger = pem_in_properties(Certificates(tmp_path))
    java = {"bootstrap.servers": broker.ssl, "security.protocol": "SSL"}
    mixed = pem_in_properties(broker.certificates) | {lacking: stranger[lacking]}
    with pytest.raises(AccessError, match=r"(?i)ssl"):
        values(connect(java | mixed), topic, 0, 5)


# --- Kills ----------------------------------------------------------------------------------------


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[ListeningBroker]:
    broker = ListeningBroker(tmp_path)
    broker.create_topic("t")
    broker.produce("t", (b"%d" % number + b"x" * 1000 for number in range(100_000)))
    yield broker
    broker.stop()


@pytest.mark.parametrize("is_back", [True, False])
def test_a_broker_that_is_killed_in_the_middle_is_waited_for(
    mortal: ListeningBroker, connect: Connect, is_back: bool
) -> None:
    reader = connect({"bootstrap.servers": mortal.plain}, patience=120 if is_back else 3)
    chunks = reader.read(OffsetRange("t", 0, 0, 100_000))
    offsets = next(iter(chunks)).offsets()
    mortal.kill()
    back = threading.Thread(target=mortal.start) if is_back else None
    expected: AbstractContextManager[Any] = nullcontext()
    if back is None:
        expected = pytest.raises(BrokerUnavailableError, match="nothing arrived after offset")
    else:
        back.start()
    with expected:
        for chunk in chunks:
            offsets += chunk.offsets()
    if back is not None:
        back.join(60)
    assert offsets == list(range(len(offsets)))
    assert (len(offsets) == 100_000) is is_back
