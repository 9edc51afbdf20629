"""A laboratory for the file connectors: a folder, a broker, workers to start and kill."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from tests.support.lab import Worker

from frazil.contracts.assignment import ASSIGNMENT_FILE, Assignment
from frazil.contracts.offsets import Rewind
from frazil.control_api.core.offsets import PartitionOffset
from frazil.control_api.kafka.offsets_topic import KafkaOffsetsTopic

SOURCE = {"connector.class": "FileStreamSource", "file": "in.txt"}
SINK = {"connector.class": "FileStreamSink", "file": "out.txt"}
_MODULES = {"FileStreamSource": "frazil.spark_source", "FileStreamSink": "frazil.spark_sink"}


@dataclass
class FileLab:
    """Files `in.txt` and `out.txt`, one topic between them, connectors named after their epoch."""

    folder: Path
    bootstrap_servers: str
    topic: str
    workers: list[Worker] = field(default_factory=list)

    @property
    def source(self) -> Path:
        return self.folder / "in.txt"

    @property
    def sink(self) -> Path:
        return self.folder / "out.txt"

    @property
    def connector(self) -> str:
        return f"on-{self.topic}"

    @property
    def kafka(self) -> dict[str, str]:
        return {"bootstrap.servers": self.bootstrap_servers}

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()

    def start(self, epoch: int, config: dict[str, str], rewind: Rewind | None = None) -> Worker:
        folder = self.folder / "runs" / str(epoch)
        folder.mkdir(parents=True)
        assignment = Assignment(
            connector=self.connector,
            epoch=epoch,
            generation=1,
            worker_id="127.0.0.1:8083",
            config={"name": self.connector, **config},
            kafka=self.kafka,
            rewind=rewind,
            files_folder=str(self.folder),
        )
        (folder / ASSIGNMENT_FILE).write_text(assignment.model_dump_json())
        with (folder / "worker.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", _MODULES[config["connector.class"]], str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(os.environ),  # noqa: TID251
            )
        worker = Worker(folder, process)
        self.workers.append(worker)
        return worker

    def create_topic(self) -> None:
        asyncio.run(self._create_topic())

    async def _create_topic(self) -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap_servers)
        await admin.start()
        try:
            await admin.create_topics([NewTopic(self.topic, 1, 1)])
        finally:
            await admin.close()

    def produce(self, values: Iterable[bytes]) -> None:
        asyncio.run(self._produce(values))

    async def _produce(self, values: Iterable[bytes]) -> None:
        producer = AIOKafkaProducer(bootstrap_servers=self.bootstrap_servers, linger_ms=10)
        await producer.start()
        try:
            for value in values:
                await producer.send(self.topic, value, partition=0)
            await producer.flush()
        finally:
            await producer.stop()

    def values(self) -> list[str]:
        """Read what is committed in the topic, in its order."""
        return asyncio.run(self._values())

    async def _values(self) -> list[str]:
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self.bootstrap_servers,
            isolation_level="read_committed",
            enable_auto_commit=False,
        )
        partition = TopicPartition(self.topic, 0)
        found: list[str] = []
        await consumer.start()
        try:
            consumer.assign([partition])
            await consumer.seek_to_beginning(partition)
            end = (await consumer.end_offsets([partition]))[partition]
            while await consumer.position(partition) < end:
                records = (await consumer.getmany(timeout_ms=200)).get(partition, ())
                found.extend(record.value.decode() for record in records)
        finally:
            await consumer.stop()
        return found

    def position(self) -> list[PartitionOffset]:
        """Ask as the control API does for GET of offsets."""
        topic = KafkaOffsetsTopic("connect-offsets")
        return asyncio.run(topic.read(self.kafka, self.connector))

    def reset(self) -> None:
        """Do as the control API does for DELETE of offsets."""
        forgotten = [PartitionOffset({"filename": self.source.name}, None)]
        topic = KafkaOffsetsTopic("connect-offsets")
        asyncio.run(topic.write(self.kafka, self.connector, forgotten))
