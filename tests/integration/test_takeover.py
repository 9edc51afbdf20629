"""A connector on its way from a genuine Kafka Connect to Frazil and back: each record once."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import httpx
import pytest
from aiokafka import AIOKafkaProducer
from bench.iceberg_sink import rig as rigs
from bench.iceberg_sink.payloads import NAMESPACE
from bench.iceberg_sink.rig import Rig
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from tests.support.lab import wait_until

from frazil.cli import stack as stacks
from frazil.cli.screen import Screen
from frazil.runtime.jars.ivy import JarsUnavailableError

TABLE = TOPIC = NAME = "orders"
INTERVAL_MS = 8000


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """Start a broker, a catalog, a control API and a genuine worker; may skip."""
    try:
        with rigs.running(tmp_path, Screen(), partitions=1, ours={}, genuine={}) as running:
            yield running
    except JarsUnavailableError as error:
        pytest.skip(str(error))


async def _send(servers: str, ids: Iterable[int]) -> None:
    async with AIOKafkaProducer(bootstrap_servers=servers) as producer:
        for number in ids:
            await producer.send(TOPIC, b'{"id": %d}' % number)
        await producer.flush()


def produce(rig: Rig, ids: Iterable[int]) -> None:
    asyncio.run(_send(rig.servers, ids))


def ids(rig: Rig) -> list[int]:
    found: list[int] = rig.lake.load_table(TABLE).scan().to_arrow()["id"].to_pylist()
    return sorted(found)


def offset(url: str) -> int:
    entries = httpx.get(f"{url}/connectors/{NAME}/offsets").json()["offsets"]
    return int(entries[0]["offset"]["kafka_offset"]) if entries else 0


def frazil(*arguments: str) -> None:
    command = [sys.executable, "-m", "frazil.cli", *arguments, "--apply", NAME]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def state(url: str) -> str:
    found = httpx.get(f"{url}/connectors/{NAME}/status").json()
    return str(found["connector"]["state"])


def leave_files_uncommitted(rig: Rig) -> None:
    """Take the catalog away when a task writes: it tells its files, and nobody can commit them."""
    catalog = rig.stack.folder.service(stacks.CATALOG)
    before = data_files(rig)
    produce(rig, range(100, 200))
    wait_until("a file is begun", lambda: data_files(rig) > before, 30, every=0.01)
    catalog.stop(0)
    wait_until("the group has passed them", lambda: offset(rig.genuine.url) == 200, 60)
    httpx.put(f"{rig.genuine.url}/connectors/{NAME}/stop").raise_for_status()
    rig.stack.start_catalog()
    assert ids(rig) == list(range(100))


def data_files(rig: Rig) -> int:
    return len(list(rig.stack.folder.catalog.glob("**/data/**/*.parquet")))


def test_records_are_in_the_table_once_there_and_back_whatever_waited_for_a_commit(
    rig: Rig,
) -> None:
    rig.create_topics(TOPIC)
    rig.lake.catalog.create_table(f"{NAMESPACE}.{TABLE}", Schema(NestedField(1, "id", LongType())))
    rig.genuine.create(NAME, rig.config(TOPIC, TABLE, tasks=1, interval_ms=INTERVAL_MS))
    produce(rig, range(100))
    wait_until("the genuine sink commits", lambda: ids(rig) == list(range(100)), 90)
    leave_files_uncommitted(rig)

    moved = ("--url", rig.genuine.url)
    frazil("import", "connect", *moved, "--to", rig.ours.url)
    assert (state(rig.genuine.url), state(rig.ours.url)) == ("STOPPED", "STOPPED")
    httpx.put(f"{rig.ours.url}/connectors/{NAME}/resume").raise_for_status()
    wait_until("what waited is written", lambda: ids(rig) == list(range(200)), 120)
    produce(rig, range(200, 300))
    wait_until("Frazil writes more", lambda: len(ids(rig)) >= 300, 60)

    frazil("export", "connect", *moved, "--from", rig.ours.url)
    assert (state(rig.ours.url), state(rig.genuine.url)) == ("STOPPED", "RUNNING")
    produce(rig, range(300, 400))
    wait_until("the genuine sink goes on", lambda: len(ids(rig)) >= 400, 120)
    # One more round, in which it could commit what it had left.
    time.sleep(INTERVAL_MS / 1000)
    assert ids(rig) == list(range(400))

    frazil("import", "connect", *moved, "--to", rig.ours.url)
    produce(rig, range(400, 500))
    wait_until("Frazil goes on", lambda: len(ids(rig)) >= 500, 120)
    assert ids(rig) == list(range(500))
    assert httpx.get(f"{rig.ours.url}/connectors/{NAME}/ledger").json()["proved"]
