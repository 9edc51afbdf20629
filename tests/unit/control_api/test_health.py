"""Health, and the probe of the broker that it speaks of."""

import pytest

from frazil.control_api.core.health import HealthStatus, Vitals, verdict
from frazil.control_api.kafka import broker
from frazil.control_api.kafka.broker import BrokerProbe

WELL = Vitals(ready=True, failure=None, broker="connected", cluster_id="x")


def test_health_is_worded_as_connect_words_it() -> None:
    assert verdict(WELL).status is HealthStatus.HEALTHY
    assert verdict(WELL).message == (
        "Worker has completed startup and is ready to handle requests."
    )
    starting = Vitals(ready=False, failure=None, broker="", cluster_id=None)
    assert verdict(starting).message == "Worker is still starting up."


def test_a_dead_loop_is_no_health_and_is_named() -> None:
    dead = Vitals(ready=False, failure="resync ended", broker="", cluster_id=None)
    assert verdict(dead).status is HealthStatus.UNHEALTHY
    assert verdict(dead).message.endswith("resync ended")


async def test_a_cluster_that_was_once_known_stays_known_when_the_broker_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def answers(_servers: str) -> str:
        return "cluster-1"

    async def is_away(_servers: str) -> str:
        raise ConnectionError("refused")

    probe = BrokerProbe("kafka:9092")
    monkeypatch.setattr(broker, "_cluster_id", answers)
    assert await probe.ask()
    assert (probe.cluster_id, probe.state) == ("cluster-1", "connected")
    monkeypatch.setattr(broker, "_cluster_id", is_away)
    assert not await probe.ask()
    assert probe.cluster_id == "cluster-1"
    assert probe.state.startswith("kafka:9092 does not answer: ")
