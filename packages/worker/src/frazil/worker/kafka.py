"""The broker, asked through the Kafka client that the JVM already has."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pyspark.sql import SparkSession

from frazil.worker.bridge import jvm
from frazil.worker.errors import RefusedError, UnavailableError
from frazil.worker.jvm_errors import java_errors_as

_TIMEOUTS = {"request.timeout.ms": "5000", "default.api.timeout.ms": "10000"}


class Admin:
    """One admin client of one connector; its errors say what to do."""

    def __init__(self, spark: SparkSession, kafka: Mapping[str, str], connector: str) -> None:
        properties = {**kafka, **_TIMEOUTS, "client.id": f"frazil-{connector}"}
        self._servers = kafka["bootstrap.servers"]
        self.java = jvm(spark).org.apache.kafka.clients.admin.Admin.create(properties)

    def ask(self, call: Callable[[], Any]) -> Any:
        with java_errors_as(partial(broker_error, servers=self._servers)):
            return call()

    def close(self) -> None:
        self.java.close()


def broker_error(message: str, servers: str) -> UnavailableError:
    """Say what to do; the broker's own words follow as the cause."""
    if "UnknownTopicOrPartition" in message:
        return UnavailableError(
            "A topic of the connector does not exist. Create it, or correct `topics`.", message
        )
    if "Timeout" in message:
        return UnavailableError(
            f"Kafka at {servers} does not answer. Check `bootstrap.servers` and that it is up.",
            message,
        )
    refused = "AuthorizationException" in message or "AuthenticationException" in message
    kind = RefusedError if refused else UnavailableError
    return kind(f"Kafka at {servers} refused a request.", message)
