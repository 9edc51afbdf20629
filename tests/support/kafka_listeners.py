"""A broker of a test's own: it asks for logins and certificates, and may be killed."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trustme
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509 import load_pem_x509_certificate
from tests.support.lab import wait_until

from frazil.cli.broker import Broker
from frazil.cli.ports import HOST, answers, free_ports
from frazil.runtime.child import Child
from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.runtime.settings import FrazilSettings

USER = "reader"
PASSWORD = 'pa ss"w;=ord'  # noqa: S105
LARGEST = 100_000_000
_LOGIN = "org.apache.kafka.common.security"


@dataclass
class Certificates:
    """A private authority, and certificates of it as PEM and PKCS#12."""

    folder: Path
    authority: trustme.CA = field(default_factory=trustme.CA)

    @property
    def authority_pem(self) -> str:
        return self.authority.cert_pem.bytes().decode()

    def issue(self, name: str) -> tuple[str, str]:
        """Return key and certificate, the key in the form that Java reads (PKCS#8)."""
        issued = self.authority.issue_cert(name)
        key = load_pem_private_key(issued.private_key_pem.bytes(), None)
        text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return text.decode(), issued.cert_chain_pems[0].bytes().decode()

    def write(self, name: str, *texts: str) -> Path:
        path = self.folder / name
        path.write_text("".join(texts))
        return path

    def write_pkcs12(self, name: str, password: str) -> Path:
        key, certificate = (text.encode() for text in self.issue("client.test"))
        path = self.folder / name
        path.write_bytes(
            pkcs12.serialize_key_and_certificates(
                b"client",
                load_pem_private_key(key, None),  # type: ignore[arg-type]
                load_pem_x509_certificate(certificate),
                None,
                BestAvailableEncryption(password.encode()),
            )
        )
        return path


@dataclass
class ListeningBroker:
    """One Kafka node: `plain` for anybody, `sasl` for a login, `ssl` for a certificate."""

    folder: Path

    def __post_init__(self) -> None:
        settings = FrazilSettings()
        self._ports = free_ports()
        self.certificates = Certificates(self.folder)
        self.plain = self._ports.bootstrap_servers
        self.sasl, self.ssl = f"{HOST}:{self._ports.api}", f"{HOST}:{self._ports.catalog}"
        jars = JarStore(settings.home).folder("broker")
        broker = Broker(find_java(settings.java_home), jars, self.folder / "node", self._ports)
        broker.prepare()
        configuration = self.folder / "node" / "server.properties"
        with configuration.open("a") as file:
            file.writelines(f"{key}={value}\n" for key, value in self._settings().items())
        self._command = broker.command()
        self._child = Child(self.folder / "process")
        self.start()
        self.admin = AdminClient({"bootstrap.servers": self.plain})

    def start(self) -> None:
        self._child.start(self._command, environment={}, log=self.folder / "broker.log")
        wait_until("the broker answers", lambda: answers(self._ports.kafka), 60)

    def kill(self) -> None:
        self._child.kill()
        wait_until("the broker is dead", lambda: not self._child.is_alive(), 30)

    def stop(self) -> None:
        self._child.stop(20)

    def create_topic(self, name: str, partitions: int = 1, **config: str) -> None:
        settings = {key.replace("_", "."): value for key, value in config.items()}
        self.ask(lambda: self.admin.create_topics([NewTopic(name, partitions, 1, config=settings)]))

    def ask(self, act: Callable[[], Mapping[Any, "Future[Any]"]]) -> None:
        """Have the admin client do something, and wait for it."""
        for answer in act().values():
            answer.result(30)

    def produce(
        self, topic: str, values: Iterable[bytes | None], *, partition: int = 0, **settings: Any
    ) -> None:
        """Send records with keys that repeat after a hundred."""
        producer = self.producer(**settings)
        for number, value in enumerate(values):
            producer.produce(topic, value, key=str(number % 100), partition=partition)
            producer.poll(0)
        assert producer.flush(60) == 0

    def producer(self, **settings: Any) -> Producer:
        names = {key.replace("_", "."): value for key, value in settings.items()}
        return Producer(
            {
                "bootstrap.servers": self.plain,
                "message.max.bytes": LARGEST,
                "queue.buffering.max.messages": 2_000_000,
                "linger.ms": 5,
                **names,
            }
        )

    def _settings(self) -> dict[str, Any]:
        plain = f"PLAINTEXT://{self.plain}"
        others = f"SASL_PLAINTEXT://{self.sasl},SSL://{self.ssl}"
        password = PASSWORD.replace('"', '\\\\"')
        names = "PLAINTEXT", "CONTROLLER", "SASL_PLAINTEXT", "SSL"
        protocols = "PLAINTEXT", "PLAINTEXT", "SASL_PLAINTEXT", "SSL"
        own = self.certificates.write("broker.pem", *self.certificates.issue(HOST))
        trusted = self.certificates.write("authority.pem", self.certificates.authority_pem)
        scram = f"{_LOGIN}.scram.ScramLoginModule required;"
        return {
            "listeners": f"{plain},{others},CONTROLLER://{HOST}:{self._ports.controller}",
            "advertised.listeners": f"{plain},{others}",
            "listener.security.protocol.map": ",".join(
                f"{name}:{protocol}" for name, protocol in zip(names, protocols, strict=True)
            ),
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
            # Kafka's own validator for tests: it takes tokens without signature.
            "listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config": (
                f"{_LOGIN}.oauthbearer.OAuthBearerLoginModule required;"
            ),
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": (
                f'{_LOGIN}.plain.PlainLoginModule required user_{USER}="{password}";'
            ),
            "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": scram,
            "listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config": scram,
            "listener.name.ssl.ssl.keystore.type": "PEM",
            "listener.name.ssl.ssl.keystore.location": own,
            "listener.name.ssl.ssl.truststore.type": "PEM",
            "listener.name.ssl.ssl.truststore.location": trusted,
            "listener.name.ssl.ssl.client.auth": "required",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "allow.everyone.if.no.acl.found": "true",
            "message.max.bytes": LARGEST,
            "log.cleaner.backoff.ms": 200,
            "log.retention.check.interval.ms": 500,
        }
