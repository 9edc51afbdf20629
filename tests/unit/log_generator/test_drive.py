"""Both halves together: how they end, what is told, and the sign of life."""

import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.support.fast_clock import FastClock

from frazil.contracts.log_topics import Topic
from frazil.log_generator import heartbeat
from frazil.log_generator.drive import Drive
from frazil.log_generator.producer import Report


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


class FakeRecords:
    def __init__(self, topic: Topic, until: asyncio.Event) -> None:
        self.report = Report(topic, produced=3)
        self.until = until
        self.is_cancelled = False

    async def run(self) -> None:
        try:
            await self.until.wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        self.report.produced += 1


class FakeTraffic:
    is_waiting = True

    def counts(self) -> dict[str, dict[str, int]]:
        return {"put": {"ok": 2}}

    async def run(self) -> None:
        return


class BrokenTraffic(FakeTraffic):
    async def run(self) -> None:
        raise ZeroDivisionError


def drive(clock: FastClock, *records: Any, traffic: Any = None) -> Drive:
    return Drive(traffic, records, clock=clock)


async def test_a_stop_lets_both_end_what_they_do() -> None:
    clock = FastClock(10.0)
    half = FakeRecords(Topic.AUDIT, clock.stop)
    both = drive(clock, half, traffic=FakeTraffic())
    await both.run()
    assert not half.is_cancelled
    assert both.counts() == {"operations": {"put": {"ok": 2}}, "records": {"auditlogs": 4}}


async def test_what_does_not_end_is_ended() -> None:
    clock = FastClock(10.0)
    half = FakeRecords(Topic.AUDIT, asyncio.Event())
    await drive(clock, half).run(grace=0.01)
    assert half.is_cancelled


async def test_a_half_that_breaks_ends_the_other_and_is_heard_of() -> None:
    half = FakeRecords(Topic.AUDIT, asyncio.Event())
    with pytest.raises(ExceptionGroup) as caught:
        await drive(FastClock(10**9), half, traffic=BrokenTraffic()).run()
    assert caught.group_contains(ZeroDivisionError)
    assert half.is_cancelled


async def test_every_ten_seconds_a_line_has_the_counts() -> None:
    with capture_logs() as lines:
        await drive(FastClock(30.0), traffic=FakeTraffic()).run()
    assert lines == 3 * [
        {
            "event": "driving",
            "log_level": "info",
            "store_away": True,
            "operations": {"put": {"ok": 2}},
            "records": {},
        }
    ]


async def test_who_drives_is_healthy() -> None:
    assert not heartbeat.is_beating()
    await drive(FastClock(10.0)).run()
    assert heartbeat.is_beating()


def test_a_sign_of_life_is_good_for_a_minute(folder: Path) -> None:
    heartbeat.beat()
    (sign,) = folder.iterdir()
    for age, is_beating in ((55, True), (65, False)):
        then = time.time() - age
        os.utime(sign, (then, then))
        assert heartbeat.is_beating() is is_beating
    heartbeat.beat()
    assert heartbeat.is_beating()
