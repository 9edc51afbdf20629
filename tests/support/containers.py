"""The container stack as its users have it: `frazil`, REST, SQL and S3 from this machine."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import httpx
import trino
from aiokafka import AIOKafkaConsumer, TopicPartition
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from tests.support.environment import environment
from tests.support.lab import wait_until

from frazil.runtime.child import Child

HOST = "127.0.0.1"
CONNECT = f"http://{HOST}:8083"
BROKER = f"{HOST}:9092"
TRINO_PORT = 9999
KEY = "minioadmin"
PROJECT = "frazil"
NETWORK = "kafka-iceberg"
WAREHOUSE = "kafkawarehouse"
# Where a record of each table keeps the id that no other record has.
IDS = {
    "apilogs": "callinfo.requestid",
    "errorlogs": "element_at(tags, 'requestID')",
    "auditlogs": "requestid",
}
CONNECTORS = tuple(f"iceberg-sink-{table}" for table in IDS)


@dataclass(frozen=True)
class Topology:
    name: str
    source_port: int
    dest_port: int
    containers: frozenset[str]
    front: str

    @property
    def source(self) -> str:
        return f"http://{HOST}:{self.source_port}"

    @property
    def dest(self) -> str:
        return f"http://{HOST}:{self.dest_port}"


_COMMON = (
    "kafka kafka-connect table-reader postgres docker-proxy table-catalog trino "
    "kafka-iceberg-init log-generator"
)
_NODES = [f"minio-{cluster}{number}" for cluster in ("source", "dest") for number in range(1, 5)]
SINGLE = Topology(
    "single", 9000, 9000, frozenset((*_COMMON.split(), "minio", "minio-node")), "minio"
)
DUAL = Topology(
    "dual",
    9000,
    9010,
    frozenset((*_COMMON.split(), "nginx-source", "nginx-dest", *_NODES)),
    "nginx-dest",
)


class Stack:
    """One that runs; every method asks it from outside."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology

    def containers(self) -> dict[str, dict[str, Any]]:
        """Inspect the containers of the stack, workers among them, by their names."""
        found = docker("ps", "--all", "--quiet").split()
        all_of_them = json.loads(docker("inspect", *found)) if found else []
        return {one["Name"].lstrip("/"): one for one in all_of_them if _is_ours(one)}

    def workers(self) -> dict[str, str]:
        """Name the container of each connector that lives."""
        return {
            one["Config"]["Labels"]["frazil.connector"]: name
            for name, one in self.containers().items()
            if "frazil.connector" in one["Config"]["Labels"] and one["State"]["Running"]
        }

    def hosts(self) -> list[dict[str, Any]]:
        """Inspect those that live of the containers which several connectors share."""
        return [
            one
            for one in self.containers().values()
            if "frazil.host" in one["Config"]["Labels"] and one["State"]["Running"]
        ]

    def ailing(self) -> list[str]:
        """Name the services that should be up and are not healthy."""
        found = self.containers()
        healths = {
            name: found[name]["State"].get("Health", {}).get("Status")
            for name in self.topology.containers - {"kafka-iceberg-init"}
        }
        return [name for name, health in healths.items() if health != "healthy"]

    def token(self) -> str:
        """Return what the control API has made for those that it asks."""
        return docker("exec", "kafka-connect", "cat", "/run/connect/token").strip()

    def get(self, path: str) -> Any:
        answer = httpx.get(f"{CONNECT}{path}", timeout=30, trust_env=False)
        answer.raise_for_status()
        return answer.json()

    def states(self) -> dict[str, str]:
        """Return each connector's state if its tasks are in the same, else that of a task."""
        found = {}
        for name, shown in self.get("/connectors?expand=status").items():
            status = shown["status"]
            states = {status["connector"]["state"], *(one["state"] for one in status["tasks"])}
            found[name] = min(states) if status["tasks"] else "NO TASKS"
        return found

    def has_committed_all(self) -> bool:
        """Compare what connectors have committed with where their topics end."""
        reached: Counter[str] = Counter()
        for name in CONNECTORS:
            for one in self.get(f"/connectors/{name}/offsets")["offsets"]:
                reached[one["partition"]["kafka_topic"]] += one["offset"]["kafka_offset"]
        return all(reached[topic] == records_in(topic) for topic in (*IDS, "minio-audit"))

    def wait_until_running(self, seconds: float = 300) -> None:
        wanted = dict.fromkeys(CONNECTORS, "RUNNING")
        wait_until("all connectors run", lambda: answered(self.states) == wanted, seconds, every=1)

    def sql(self, statement: str) -> list[list[Any]]:
        connection = trino.dbapi.connect(  # type: ignore[no-untyped-call]
            host=HOST, port=TRINO_PORT, user="e2e", catalog=WAREHOUSE, schema="streaming"
        )
        with connection:
            rows: list[list[Any]] = connection.cursor().execute(statement).fetchall()
            return rows

    def counted(self, table: str) -> tuple[int, int]:
        """Return a table's rows, and how many ids they have."""
        ((rows, ids),) = self.sql(f"SELECT count(*), count(DISTINCT {IDS[table]}) FROM {table}")
        return rows, ids

    def repeated(self, table: str) -> Any:
        """Return ids that are there more than once, or null, with the times of their rows."""
        key = IDS[table]
        return self.sql(
            f"SELECT {key}, count(*), array_agg(time) FROM {table} "
            f"GROUP BY {key} HAVING count(*) > 1 OR {key} IS NULL"
        )

    def s3(self, endpoint: str, secret: str = KEY) -> Any:
        return boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id=KEY,
            aws_secret_access_key=secret,
            config=Config(
                s3={"addressing_style": "path"},
                retries={"mode": "standard", "total_max_attempts": 10},
                read_timeout=20,
            ),
        )


def _is_ours(container: Mapping[str, Any]) -> bool:
    labels = container["Config"]["Labels"] or {}
    return PROJECT in (labels.get("com.docker.compose.project"), labels.get("frazil.instance"))


def docker(*arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["docker", *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0 or not check, done.stdout + done.stderr
    return done.stdout


def leftovers() -> list[str]:
    """Name whatever there is of a stack: containers, volumes, networks."""
    containers = [f"label=com.docker.compose.project={PROJECT}", f"label=frazil.instance={PROJECT}"]
    return [
        *(name for label in containers for name in docker("ps", "-aq", "--filter", label).split()),
        *docker("volume", "ls", "--quiet", "--filter", f"name=^{PROJECT}_").split(),
        *docker("network", "ls", "--quiet", "--filter", f"name=^({PROJECT}_|{NETWORK}$)").split(),
    ]


def frazil(*arguments: str, code: int = 0, seconds: float = 900) -> str:
    command = [sys.executable, "-m", "frazil.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def answered(question: Any) -> Any:
    """Return the answer, or None from a server that is away."""
    try:
        return question()
    except (httpx.HTTPError, trino.exceptions.Error, OSError):
        return None


def records_in(topic: str) -> int:
    """Count the records of a topic, by its offsets."""
    return asyncio.run(_records_in(topic))


async def _records_in(topic: str) -> int:
    async with AIOKafkaConsumer(topic, bootstrap_servers=BROKER) as consumer:
        partitions = [
            TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic) or ()
        ]
        ends = await consumer.end_offsets(partitions)
        begins = await consumer.beginning_offsets(partitions)
    return sum(ends[one] - begins[one] for one in partitions)


def calls_told() -> tuple[int, int]:
    """Count what community MinIO told of and the table keeps, and the ids in it.

    Who got no answer from a broker tells of a call again, and what the server did by itself has no
    id.
    """
    ids: Counter[str | None] = Counter()
    for value in asyncio.run(_values_in("minio-audit")):
        entry = json.loads(value)
        bucket = entry["api"].get("bucket", "")
        if bucket != WAREHOUSE and not bucket.startswith(".minio.sys"):
            ids[entry.get("requestID")] += 1
    return ids.total(), len(ids.keys() - {None})


async def _values_in(topic: str) -> list[bytes]:
    found: list[bytes] = []
    async with AIOKafkaConsumer(
        topic, bootstrap_servers=BROKER, auto_offset_reset="earliest", group_id=None
    ) as consumer:
        partitions = consumer.assignment()
        ends = await consumer.end_offsets(partitions)
        while any([await consumer.position(one) < ends[one] for one in partitions]):
            batches = await consumer.getmany(timeout_ms=1000)
            found += [record.value for batch in batches.values() for record in batch]
    return found


def produce(count: int) -> None:
    frazil("produce", "all", "-n", str(count), "--stack", "containers")


@contextmanager
def load(folder: Path, rate: float) -> Iterator[None]:
    """Produce all the while, at a rate for each topic, whatever the broker does meanwhile."""
    child = Child(folder / "producer")
    settings = {
        "FRAZIL_BOOTSTRAP_SERVERS": BROKER,
        "FRAZIL_S3_RATE": "0",
        "FRAZIL_RECORDS_TOPICS": "all",
        "FRAZIL_RECORDS_RATE": str(rate),
    }
    child.start(
        [sys.executable, "-m", "frazil.log_generator", "drive"],
        environment=environment(**settings),
        log=folder / "producer.log",
    )
    try:
        yield
    finally:
        child.stop(60)


class Promises:
    """Objects that S3 has said it keeps, written without a pause by a thread."""

    def __init__(self, s3: Any, bucket: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self.kept: list[str] = []

    def __enter__(self) -> "Promises":
        self._s3.create_bucket(Bucket=self._bucket)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _write(self) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            key = f"{number:06}"
            # What is refused was not promised.
            with suppress(ClientError, BotoCoreError):
                self._s3.put_object(Bucket=self._bucket, Key=key, Body=key.encode() * 1000)
                self.kept.append(key)

    def broken(self, seconds: float = 60) -> dict[str, str]:
        """Say what is wrong with objects for good: a node that is back may need a while."""
        found = self._broken(self.kept)
        deadline = time.monotonic() + seconds
        while found and time.monotonic() < deadline:
            time.sleep(1)
            found = self._broken(found)
        return found

    def _broken(self, keys: Iterable[str]) -> dict[str, str]:
        found = {key: self._fault(key) for key in keys}
        return {key: fault for key, fault in found.items() if fault}

    def _fault(self, key: str) -> str:
        try:
            body: bytes = self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()
        except (ClientError, BotoCoreError) as error:
            return str(error)
        return "" if body == key.encode() * 1000 else f"it is {body[:20]!r}..."
