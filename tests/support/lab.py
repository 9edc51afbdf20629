"""A laboratory for sinks: a real broker, a catalog of its own, real workers to start and kill."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType, TimestamptzType
from tests.support.catalog_process import CatalogProcess
from tests.support.local_state import local_state

from frazil.cli.catalog import CatalogKey, client_properties
from frazil.contracts.assignment import ASSIGNMENT_FILE, STATUS_FILE, Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Rewind
from frazil.contracts.states import WorkerState
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.proof import Proof, TableSource, prove
from frazil.control_api.tables.reader import TableReader

PARTITIONS = 3
LARGEST = 20_000_000
SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "time", TimestamptzType(), required=False),
    NestedField(3, "bucket", StringType(), required=False),
)
SPEC = PartitionSpec(PartitionField(3, 1000, IdentityTransform(), "bucket"))


def wait_until(
    what: str, ready: Callable[[], bool], seconds: float = 240, *, every: float = 0.1
) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(every)


@dataclass
class Worker:
    """One run of a sink, started as an engine would start it."""

    folder: Path
    process: "subprocess.Popen[bytes]"

    @property
    def status(self) -> WorkerStatus | None:
        try:
            return WorkerStatus.model_validate_json((self.folder / STATUS_FILE).read_text())
        except FileNotFoundError:
            return None

    @property
    def commits(self) -> int:
        return self.status.commits if self.status else 0

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def is_running(self) -> bool:
        return self.status is not None and self.status.state is WorkerState.RUNNING

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def exit_code(self, seconds: float = 90) -> ExitCode:
        return ExitCode.of(self.process.wait(seconds))

    @property
    def trace(self) -> str:
        return (self.status and self.status.trace) or ""

    @property
    def log(self) -> str:
        return (self.folder / "worker.log").read_text()


@dataclass
class Lab:
    """One topic, one catalog, one table and the workers of one connector named `lab`."""

    folder: Path
    bootstrap_servers: str
    topic: str
    host: str = "127.0.0.1"
    workers: list[Worker] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.key = CatalogKey(self.folder / "keys")
        self.key.make()
        self.server = self._start_catalog()
        self.ask_admin(lambda admin: admin.create_topics([self._new_topic()]))
        self.server.wait()
        self.catalog = RestCatalog("iceberg", **client_properties(self.server.url, self.key))
        self.catalog.create_namespace("streaming")

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()
        self.server.close()

    def _start_catalog(self, **settings: str) -> CatalogProcess:
        told = {"FRAZIL_HOST": self.host, "FRAZIL_KEYS": str(self.key.file)}
        return CatalogProcess(self.folder / "catalog", "", **told, **settings)

    def kill_catalog(self) -> None:
        """Kill it at whatever instruction it is; it is back when somebody has asked in vain."""
        self.server.kill()
        with socket.create_server((self.host, self.server.port)) as deaf:
            deaf.settimeout(60)
            asked, _ = deaf.accept()
            asked.close()
        self.restart_catalog()

    def restart_catalog(self) -> None:
        self.server = self._start_catalog(FRAZIL_PORT=str(self.server.port))
        self.server.wait()

    def _new_topic(self) -> NewTopic:
        return NewTopic(self.topic, PARTITIONS, 1)

    def ask_admin(self, act: Callable[[AIOKafkaAdminClient], object]) -> None:
        asyncio.run(self._admin(act))

    async def _admin(self, act: Callable[[AIOKafkaAdminClient], object]) -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap_servers)
        await admin.start()
        try:
            await act(admin)  # type: ignore[misc]
        finally:
            await admin.close()

    def recreate_topic(self) -> None:
        self.ask_admin(lambda admin: admin.delete_topics([self.topic]))
        wait_until("topic made anew", self._try_to_create, 30)

    def _try_to_create(self) -> bool:
        with contextlib.suppress(Exception):
            self.ask_admin(lambda admin: admin.create_topics([self._new_topic()]))
            return True
        return False

    def create_table(self, name: str = "rows") -> Table:
        table: Table = self.catalog.create_table(f"streaming.{name}", SCHEMA, partition_spec=SPEC)
        return table

    @property
    def table(self) -> Table:
        table: Table = self.catalog.load_table("streaming.rows")
        return table

    def produce(self, ids: Iterable[int], *, buckets: int = 4, **where: Any) -> None:
        time = "2026-11-18T10:00:00.5Z"
        records = ({"id": i, "time": time, "bucket": f"b{i % buckets}"} for i in ids)
        self.produce_raw((json.dumps(record).encode() for record in records), **where)

    def produce_raw(
        self,
        values: Iterable[bytes | None],
        *,
        partitions: int = PARTITIONS,
        topic: str | None = None,
    ) -> None:
        asyncio.run(self._send(values, topic or self.topic, partitions))

    async def _send(self, values: Iterable[bytes | None], topic: str, partitions: int) -> None:
        producer = AIOKafkaProducer(
            bootstrap_servers=self.bootstrap_servers, linger_ms=10, max_request_size=LARGEST
        )
        await producer.start()
        try:
            for number, value in enumerate(values):
                # A key, because Kafka's client takes no record without key and value.
                await producer.send(topic, value, key=b"k", partition=number % partitions)
            await producer.flush()
        finally:
            await producer.stop()

    def records(self, topic: str) -> list[Any]:
        """Read a topic of one partition, but for what no transaction has committed."""
        return asyncio.run(self._consume(TopicPartition(topic, 0)))

    async def _consume(self, partition: TopicPartition) -> list[Any]:
        found: list[Any] = []
        async with AIOKafkaConsumer(
            bootstrap_servers=self.bootstrap_servers, isolation_level="read_committed"
        ) as consumer:
            consumer.assign([partition])
            await consumer.seek_to_beginning(partition)
            end = (await consumer.end_offsets([partition]))[partition]
            while await consumer.position(partition) < end:
                batches = await consumer.getmany(timeout_ms=200)
                found += [record for batch in batches.values() for record in batch]
        return found

    def start(
        self,
        epoch: int,
        config: Mapping[str, str] | None = None,
        *,
        rewind: Rewind | None = None,
    ) -> Worker:
        folder = self.folder / "runs" / str(epoch)
        folder.mkdir(parents=True)
        assignment = Assignment(
            connector="lab",
            epoch=epoch,
            generation=1,
            worker_id="127.0.0.1:8083",
            config={**self.config, **(config or {})},
            kafka={"bootstrap.servers": self.bootstrap_servers},
            rewind=rewind,
        )
        (folder / ASSIGNMENT_FILE).write_text(assignment.model_dump_json())
        with (folder / "worker.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "frazil.spark_sink", str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | self.environment,  # noqa: TID251
            )
        worker = Worker(folder, process)
        self.workers.append(worker)
        return worker

    def start_and_kill(self, epoch: int, config: Mapping[str, str], *, moment: "Moment") -> Worker:
        """Kill a worker that has committed before, as soon as the moment comes."""
        worker = self.start(epoch, config)
        wait_until("the first commit", lambda: worker.commits > 0)
        wait_until("the moment to kill", moment(self), 30, every=0.001)
        worker.kill()
        return worker

    @property
    def config(self) -> dict[str, str]:
        """That of the local stack's sinks, with the secret in clear: nobody resolves references."""
        local = local_state(
            CATALOG_URL=self.server.url,
            CATALOG_ACCESS_KEY=self.key.access_key,
            COMMIT_INTERVAL_MS="200",
        )
        assert local.connect
        return {
            **local.connect.connectors[0].config,
            "name": "lab",
            "topics": self.topic,
            "iceberg.tables": "streaming.rows",
            "iceberg.catalog.rest.secret-access-key": self.key.secret,
            "iceberg.catalog.s3.secret-access-key": self.key.secret,
        }

    @property
    def database(self) -> Path:
        return self.folder / "catalog" / "catalog.db"

    def metadata_location(self, name: str = "rows") -> str:
        """Ask the catalog's database itself: a commit is over in the moment that this changes."""
        question = f"SELECT metadata_location FROM iceberg_tables WHERE table_name = '{name}'"
        with contextlib.closing(sqlite3.connect(self.database, timeout=10)) as asked:
            return str(asked.execute(question).fetchone()[0])

    def append_foreign(self, number: int) -> None:
        """Commit a row as another writer, however often the worker is faster."""
        row = {"id": number, "bucket": "foreign"}
        for _ in range(50):
            table = self.table
            with contextlib.suppress(CommitFailedException):
                table.append(pa.Table.from_pylist([row], schema=table.schema().as_arrow()))
                return
        raise AssertionError("another writer never got through")

    def rows(self, name: str = "rows") -> int:
        snapshot = self.catalog.load_table(f"streaming.{name}").current_snapshot()
        summary = snapshot.summary if snapshot else None
        return int(summary["total-records"] or 0) if summary else 0

    def ids(self, name: str = "rows") -> list[int]:
        table = self.catalog.load_table(f"streaming.{name}")
        found: list[int] = table.scan(selected_fields=("id",)).to_arrow()["id"].to_pylist()
        return sorted(found)

    def ledgers(self) -> list[Ledger]:
        """List the ledgers of the table's history, oldest first."""
        found = [
            Ledger.from_summary(snapshot.summary.additional_properties, "lab")
            for snapshot in self.table.snapshots()
            if snapshot.summary
        ]
        return [ledger for ledger in found if ledger is not None]

    def proof(self, branch: str = "main") -> Proof:
        """Prove what is in a branch as the control API does, from the connector's own keys."""
        prefix = "iceberg.catalog."
        properties = {k.removeprefix(prefix): v for k, v in self.config.items() if prefix in k}
        source = TableSource("lab", "iceberg", properties, {"streaming.rows": branch})
        (history,) = asyncio.run(
            TableReader(hosts=("*", "127.0.0.1", "localhost")).histories(source)
        )
        return prove(history)

    def probe(self, worker: Worker, path: str) -> dict[str, Any]:
        port = worker.status.port if worker.status else 0
        answer: dict[str, Any] = httpx.get(f"http://127.0.0.1:{port}{path}").json()
        return answer

    def unacknowledged(self, worker: Worker) -> int:
        """Count commits that are in the table while the worker had not yet said so."""
        epoch = worker.status.epoch if worker.status else 0
        done = [ledger for ledger in self.ledgers() if ledger.epoch == epoch and ledger.written]
        return len(done) - worker.commits

    def orphans(self) -> set[Path]:
        """List data files on disk that the table does not know."""
        known = self.table.inspect.files()["file_path"].to_pylist()
        return self.data_files() - {Path(path.removeprefix("file:")) for path in known}

    def metadata_files(self) -> set[Path]:
        return set(self.warehouses.glob("**/*.metadata.json"))

    def data_files(self) -> set[Path]:
        """List the data files on disk, whether a snapshot knows them or not."""
        return set(self.warehouses.glob("**/data/**/*.parquet"))

    @property
    def warehouses(self) -> Path:
        return self.folder / "catalog" / "warehouses"


Moment = Callable[[Lab], Callable[[], bool]]
