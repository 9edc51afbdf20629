"""Previews are no connectors: the reconciler leaves them alone, until nobody can want them."""

from dataclasses import replace

import pytest
from tests.support.control_api import NOW, FakeClock, connector

from frazil.contracts.offsets import Rewind
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.previews import seconds_left
from frazil.control_api.engine.fake import Behaviour, FakeEngine
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.reconciler import Reconciler
from frazil.control_api.store.repository import Repository

NAME = f"preview\t{NOW:.0f}-ab12"
OUTFITTER = Outfitter(worker_id="127.0.0.1:8083", kafka={"bootstrap.servers": "kafka:9092"})


@pytest.mark.parametrize(
    ("name", "left"),
    [(NAME, 600), ("preview\t1-ab12", 0), (f"preview {NOW:.0f}-ab12", 0), ("logs", 0)],
)
def test_a_name_tells_for_how_long_it_is_a_preview(name: str, left: float) -> None:
    assert seconds_left(name, NOW) == left


def test_a_preview_gets_what_its_connector_would_but_for_orders_to_move() -> None:
    logs = replace(connector(), rewind=Rewind(number=7, everything=True))
    made = OUTFITTER.preview(logs, NAME, epoch=5, records=100)
    assert (made.connector, made.epoch, made.preview, made.rewind) == (NAME, 5, 100, None)
    assert made.config == logs.config


@pytest.mark.parametrize("never_ready", [True, False], ids=["it goes on", "it is done"])
async def test_a_preview_is_left_alone_for_its_time_and_then_removed(
    engine: FakeEngine, store: Repository, clock: FakeClock, *, never_ready: bool
) -> None:
    reconciler = Reconciler(
        WorkQueue(clock.now), store, engine, clock=clock, policy=Policy(), outfitter=OUTFITTER
    )
    engine.behaviours["logs"] = Behaviour(never_ready=never_ready)
    await engine.start(OUTFITTER.preview(connector(), NAME, epoch=5, records=100), "spark-sink")
    assert await reconciler.reconcile(NAME) == 600
    assert await engine.connectors() == [NAME]
    assert bool((await engine.inspect(NAME)).living) is never_ready
    clock.move(600)
    for _ in range(3):
        await reconciler.reconcile(NAME)
    assert await engine.connectors() == []
    assert store.all() == []
