"""Health, and the probe of the broker that it speaks of."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from frazil.control_api.core.errors import BrokerError
from frazil.control_api.core.health import HealthStatus, Role, Vitals, verdict
from frazil.control_api.kafka import broker
from frazil.control_api.kafka.broker import BrokerProbe

WELL = Vitals(
    ready=True,
    role=Role.LEADER,
    failure=None,
    broker="connected",
    engine="ready",
    cluster_id="x",
)


def test_health_is_worded_as_connect_words_it() -> None:
    assert verdict(WELL).status is HealthStatus.HEALTHY
    assert verdict(WELL).message == (
        "Worker has completed startup and is ready to handle requests."
    )
    starting = replace(WELL, ready=False)
    assert verdict(starting).message == "Worker is still starting up."


def test_a_dead_loop_is_no_health_and_is_named() -> None:
    dead = replace(WELL, failure="resync ended")
    assert verdict(dead).status is HealthStatus.UNHEALTHY
    assert verdict(dead).message.endswith("resync ended")


async def test_a_cluster_that_was_once_known_stays_known_when_the_broker_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def answers(_properties: Mapping[str, str]) -> str:
        return "cluster-1"

    async def is_away(_properties: Mapping[str, str]) -> str:
        raise BrokerError("Kafka at kafka:9092 does not answer")

    probe = BrokerProbe({"bootstrap.servers": "kafka:9092"})
    monkeypatch.setattr(broker, "_cluster_id", answers)
    assert await probe.ask()
    assert (probe.cluster_id, probe.state) == ("cluster-1", "connected")
    monkeypatch.setattr(broker, "_cluster_id", is_away)
    assert not await probe.ask()
    assert probe.cluster_id == "cluster-1"
    assert probe.state == "Kafka at kafka:9092 does not answer"
