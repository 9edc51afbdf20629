"""Worker, broker, catalog and control API killed in any order: the tables end as the topic is."""

import itertools
import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest
from pyiceberg.exceptions import NoSuchTableError
from tests.support.endless_producer import create_topic, producing, values_of
from tests.support.lab import wait_until
from tests.support.local_stack import LocalStack, local_stack

from frazil.cli.stack import CATALOG, CONTROL_API, KAFKA
from frazil.contracts.states import ConnectState

pytestmark = [pytest.mark.integration, pytest.mark.timeout(1800)]

# Ten minutes: FRAZIL_TEST_FIRE_SECONDS=600
SECONDS = float(os.environ.get("FRAZIL_TEST_FIRE_SECONDS", "45"))  # noqa: TID251 (a test's own)
SEED = 6
TOPIC = "fire"
PARTITIONS = 3
BROKEN_EVERY = 50
WORKERS = "workers"
VICTIMS = [WORKERS, WORKERS, KAFKA, CATALOG, CONTROL_API]


@pytest.fixture
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    with local_stack(tmp_path_factory.mktemp("home"), "fire") as running:
        for name in running.views():
            httpx.put(f"{running.url}/connectors/{name}/stop", timeout=30)
        yield running


def records() -> Iterator[bytes]:
    for number in itertools.count():
        is_broken = number % BROKEN_EVERY == 0
        yield (f'{{"id": {number}' if is_broken else json.dumps({"id": number})).encode()


def set_fire(stack: LocalStack, seconds: float) -> None:
    """Kill one part after the other, at any moment of its life, and start it again."""
    dice = random.Random(SEED)  # noqa: S311 (the same each time)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for victim in dice.sample(VICTIMS, len(VICTIMS)):
            if victim == WORKERS:
                stack.kill_workers()
            else:
                stack.kill(victim)
                time.sleep(dice.uniform(0, 3))
                stack.start(victim)
            time.sleep(dice.uniform(0, 8))


def rows(stack: LocalStack, table: str) -> int:
    with suppress(NoSuchTableError):
        return stack.rows(table)
    return 0


def test_whatever_is_killed_the_tables_end_as_the_topic_is(stack: LocalStack) -> None:
    create_topic(stack.bootstrap_servers, TOPIC, PARTITIONS)
    created = stack.create(
        "under-fire",
        **{
            "topics": TOPIC,
            "iceberg.tables": "streaming.fire",
            "iceberg.tables.auto-create-enabled": "true",
            "frazil.dead.letters.table": "streaming.fire_dead",
            "errors.tolerance": "all",
            "errors.retry.timeout": "-1",
            "errors.retry.delay.max.ms": "2000",
        },
    )
    assert created.status_code == 201, created.text
    with producing(stack.bootstrap_servers, TOPIC, records()):
        wait_until("rows arrive", lambda: rows(stack, "fire") > 0)
        set_fire(stack, SECONDS)
    values = values_of(stack.bootstrap_servers, TOPIC, PARTITIONS)
    good = [json.loads(value)["id"] for value in values if value.endswith(b"}")]
    dead = [value for value in values if not value.endswith(b"}")]
    wait_until("all rows visible", lambda: rows(stack, "fire") >= len(good), 400, every=1)
    wait_until("all letters visible", lambda: rows(stack, "fire_dead") >= len(dead), every=1)
    stack.wait_for("under-fire", ConnectState.RUNNING)
    assert sorted(stack.column("fire", "id")) == sorted(good) != []
    assert sorted(stack.column("fire_dead", "value")) == sorted(dead)
    ledger = httpx.get(f"{stack.url}/connectors/under-fire/ledger", timeout=60).json()
    assert ledger["proved"], ledger
    assert ledger["tables"][0]["sums"]["dead"] == len(dead)
