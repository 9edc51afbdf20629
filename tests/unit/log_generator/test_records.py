"""The loop around the broker: what happens when it is away, and that nothing is forgotten."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.support.fast_clock import FastClock

import frazil.log_generator.records as records_module
from frazil.contracts.log_topics import Topic
from frazil.log_generator.errors import BrokerUnavailableError
from frazil.log_generator.pace import Pace
from frazil.log_generator.producer import Report
from frazil.log_generator.records import Records
from frazil.log_generator.source import Source


class FakeBroker:
    """Takes so many records a connection, and breaks it."""

    def __init__(self, *taken: int) -> None:
        self.taken = list(taken)
        self.arguments: list[dict[str, Any]] = []

    async def produce(
        self,
        servers: str,
        *,
        reports: Mapping[Topic, Report],
        stop: asyncio.Event,
        **arguments: Any,
    ) -> None:
        self.arguments.append(arguments)
        if not self.taken:
            await stop.wait()
            return
        reports[Topic.AUDIT].produced += self.taken.pop(0)
        raise BrokerUnavailableError(servers)


async def run(broker: FakeBroker, clock: FastClock, monkeypatch: pytest.MonkeyPatch) -> Records:
    monkeypatch.setattr(records_module, "produce", broker.produce)
    source = Source(Topic.AUDIT, seed=1, start_ns=0)
    records = Records(Topic.AUDIT, source, servers="here:1", rate=3, clock=clock)
    await records.run()
    return records


async def test_a_broker_that_is_away_is_one_line_and_longer_and_longer_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FastClock(15.0)
    with capture_logs() as lines:
        await run(FakeBroker(0, 0, 0, 0, 0, 0), clock, monkeypatch)
    assert clock.waits == [1, 2, 4, 8]
    assert [(line["event"], line["topic"]) for line in lines] == [("broker_away", "auditlogs")]
    assert lines[0]["reason"] == "No Kafka broker answers at here:1."


async def test_a_broker_that_was_back_meanwhile_has_its_own_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FastClock(5.0)
    with capture_logs() as lines:
        records = await run(FakeBroker(0, 0, 7, 5), clock, monkeypatch)
    assert clock.waits == [1, 2, 1, 1]
    assert [line["event"] for line in lines] == ["broker_away"] * 3
    assert records.report.produced == 12


async def test_each_connection_goes_on_with_the_same_source_at_the_same_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = FakeBroker(1, 1)
    await run(broker, FastClock(2.0), monkeypatch)
    first, second = broker.arguments
    assert first == second
    assert first["pace"] == Pace(rate=3)
    assert list(first["sources"]) == [Topic.AUDIT]
