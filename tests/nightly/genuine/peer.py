"""The genuine sink: a Kafka Connect worker beside a broker and the project's table catalog."""

import re
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
from bench.iceberg_sink.genuine import JARS as SINK_JARS
from bench.iceberg_sink.lake import Lake, lake_on_disk
from bench.iceberg_sink.rig import CONTROL_TOPIC, STOP_SECONDS, WORKER, new_stack, start_worker
from bench.iceberg_sink.sink import Sink
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.table import Table
from tests.nightly.genuine.case import NAMESPACE, Case
from tests.nightly.genuine.chains import ICEBERG
from tests.nightly.genuine.outcome import DeadLetter, Outcome, Trial, outcome_of_tables

from frazil.cli import stack as stacks
from frazil.cli.catalog import client_properties
from frazil.cli.screen import Screen
from frazil.cli.settings import read_settings
from frazil.cli.stack import Stack
from frazil.runtime.jars import JarStore
from frazil.spark_sink.records.schema.types import Struct

_JARS = Path(__file__).parent / "jars"
_INTERVAL_MS = 1000
# So long nothing happens to a connector that has nothing to commit.
_PATIENCE = 20
_LOOK_SECONDS = 0.5
# Between the commits of two tables of one connector.
_SETTLE_SECONDS = 2
_MOST_DEADLY = 5
_ERRORS = "__connect.errors."
# How the sink names the record that it could not convert, on which its task ends.
_OFFSET = re.compile(r"An error occurred converting record, .* offset: (\d+)")
_NOTHING = Outcome(Struct(()), ())
# The offsets of those records of a case that our sink cannot convert.
Refused = Callable[[Case], Iterable[int]]
# Its jar does not list them, and the worker finds what is listed only.
_TRANSFORMS = (
    "CopyValue",
    "DebeziumTransform",
    "DmsTransform",
    "JsonToMapTransform",
    "KafkaMetadataTransform",
    "MongoDebeziumTransform",
)


@dataclass(frozen=True)
class Letters:
    """Topics of dead letters."""

    consumer: Consumer

    def count(self, topic: str) -> int:
        _, end = self.consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10)
        return int(end)

    def read(self, topic: str) -> list[DeadLetter]:
        """Read the dead letters so far."""
        letters, count = list[DeadLetter](), self.count(topic)
        self.consumer.assign([TopicPartition(topic, 0, 0)])
        while len(letters) < count:
            message = self.consumer.poll(10)
            if message is None or message.error():
                raise AssertionError(f"dead letters in {topic}: {message}")
            letters.append(_letter(dict(message.headers() or ())))
        self.consumer.unassign()
        return letters


@contextmanager
def reading(servers: str) -> Iterator[Letters]:
    """Connect to a broker."""
    # The end of a topic may be known a moment before it can be read to there.
    reset = {"auto.offset.reset": "earliest", "group.id": "letters"}
    with closing(Consumer({"bootstrap.servers": servers, **reset})) as consumer:
        yield Letters(consumer)


@dataclass
class Peer:
    """Does cases with the genuine sink, several at a time.

    Its task ends at the first record that it cannot convert. The case is tried once more without
    that one, and without those that ours refuses; none of them says how rows differ.
    """

    stack: Stack
    worker: Sink
    catalog: RestCatalog
    letters: Letters
    _died: dict[str, str] = field(default_factory=dict)

    def trials(self, cases: Sequence[Case], refused: Refused = lambda _: ()) -> list[Trial]:
        """Try cases until the genuine tasks live, each time without the record they died of."""
        trials = [Trial(case, _NOTHING) for case in cases]
        for attempt in range(_MOST_DEADLY + 1):
            open_trials = [one for one in trials if one.outcome is _NOTHING]
            outcomes = self._outcomes([one.case for one in open_trials])
            known = {
                id(one): _next(one, outcome, refused, last=attempt == _MOST_DEADLY)
                for one, outcome in zip(open_trials, outcomes, strict=True)
            }
            trials = [known.get(id(one), one) for one in trials]
        return trials

    def _outcomes(self, cases: Sequence[Case]) -> list[Outcome]:
        """Let a connector write each case into a table of its own."""
        if not cases:
            return []
        self._create_topics(cases)
        for case in cases:
            begin_tables(self.catalog, case)
            self._fill(case)
            self.worker.create(
                case.name, connector_keys(case, lake_on_disk(self.stack), _dead(case))
            )
        self._wait(cases)
        outcomes = [self._outcome(case) for case in cases]
        for case in cases:
            httpx.delete(f"{self.worker.url}/connectors/{case.name}", timeout=60)
        return outcomes

    def _create_topics(self, cases: Sequence[Case]) -> None:
        admin = AdminClient({"bootstrap.servers": self.stack.ports.bootstrap_servers})
        names = [name for case in cases for name in (case.name, _dead(case))]
        # Records with times of long ago would be deleted while they are read.
        kept = {"retention.ms": "-1"}
        topics = [NewTopic(name, 1, 1, config=kept) for name in names]
        for created in admin.create_topics(topics).values():
            created.result()

    def _fill(self, case: Case) -> None:
        """Send the records as one batch: what one poll returns comes into one commit."""
        servers = self.stack.ports.bootstrap_servers
        producer = Producer({"bootstrap.servers": servers, "linger.ms": 200})
        for record in case.records:
            producer.produce(
                case.name,
                record.value,
                record.key,
                partition=0,
                timestamp=record.timestamp,
                headers=list(record.headers),
            )
        producer.flush()

    def _wait(self, cases: Iterable[Case]) -> None:
        """Wait until each case is committed, or has failed, or is dead letters only."""
        open_cases, deadline = list(cases), time.monotonic() + _PATIENCE
        while open_cases and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
            died, before = self._deaths(), len(open_cases)
            open_cases = [case for case in open_cases if not self._is_done(case, died)]
            if len(open_cases) < before:
                deadline = time.monotonic() + _PATIENCE
        time.sleep(_SETTLE_SECONDS)
        self._died = self._deaths()

    def _is_done(self, case: Case, died: Mapping[str, str]) -> bool:
        if case.name in died or self.letters.count(_dead(case)) == len(case.records):
            return True
        tables = tables_of(self.catalog, case).values()
        return any(table.current_snapshot() is not None for table in tables)

    def _deaths(self) -> dict[str, str]:
        """Return what ended tasks, by their connectors."""
        url = f"{self.worker.url}/connectors"
        answer = httpx.get(url, params={"expand": "status"}, timeout=60).raise_for_status()
        return {
            name: task["trace"]
            for name, one in answer.json().items()
            for task in one["status"]["tasks"]
            if task["state"] == "FAILED"
        }

    def _outcome(self, case: Case) -> Outcome:
        tables = tables_of(self.catalog, case)
        return outcome_of_tables(
            tables, self.letters.read(_dead(case)), self._died.get(case.name, "")
        )


def connector_keys(case: Case, lake: Lake, dead: str) -> dict[str, str]:
    """Configure the connector of a case, which both sinks understand."""
    listed = ",".join(f"{NAMESPACE}.{table}" for table in case.listed)
    return {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "tasks.max": "1",
        "topics": case.name,
        "consumer.override.auto.offset.reset": "earliest",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": dead,
        "errors.deadletterqueue.topic.replication.factor": "1",
        "errors.deadletterqueue.context.headers.enable": "true",
        **({"iceberg.tables": listed} if listed else {}),
        "iceberg.tables.auto-create-enabled": "true",
        "iceberg.tables.evolve-schema-enabled": "true",
        "iceberg.control.topic": CONTROL_TOPIC,
        "iceberg.control.commit.interval-ms": str(_INTERVAL_MS),
        "iceberg.control.commit.timeout-ms": "30000",
        **lake.config,
        **case.config,
    }


def begin_tables(catalog: RestCatalog, case: Case) -> None:
    """Drop what an attempt before this one has left, and create what is to be there."""
    for name in tables_of(catalog, case):
        catalog.drop_table((NAMESPACE, name))
    if case.columns:
        schema = pa.schema([*case.columns.items()])
        for name in case.written:
            catalog.create_table((NAMESPACE, name), schema)


def tables_of(catalog: RestCatalog, case: Case) -> dict[str, Table]:
    """Load the tables that are there of those that a case may write."""
    tables = {}
    for name in case.written:
        with suppress(NoSuchTableError):
            tables[name] = catalog.load_table((NAMESPACE, name))
    return tables


def _next(trial: Trial, outcome: Outcome, refused: Refused, *, last: bool) -> Trial:
    """Return the trial with its outcome; without one if there is to be another attempt."""
    found = _OFFSET.search(outcome.died)
    if found is None or last:
        return replace(trial, outcome=outcome)
    offset, attempt = int(found[1]), len(trial.deadly) + 1
    name = f"{trial.case.name.partition('_again_')[0]}_again_{attempt}"
    case = trial.case.without({offset, *refused(trial.case)}, name)
    return Trial(case, _NOTHING, (*trial.deadly, offset))


def _dead(case: Case) -> str:
    return f"{case.name}-dead"


def _letter(headers: Mapping[str, Any]) -> DeadLetter:
    offset, stage, name = (
        headers[_ERRORS + word].decode() for word in ("offset", "stage", "class.name")
    )
    return DeadLetter(int(offset), stage, name)


@contextmanager
def running(home: Path) -> Iterator[Peer]:
    """Start broker, catalog and worker; end all of them."""
    screen, settings = Screen(), read_settings()
    stack = new_stack(home, screen)
    jars = JarStore(settings.home, SINK_JARS / "jars.sha256", SINK_JARS / "ivy.xml")
    own = JarStore(settings.home, _JARS / "jars.sha256", _JARS / "ivy.xml")
    for store in (jars, own):
        if not store.is_complete():
            store.resolve(stack.tools.java, lambda *_: None)
    try:
        stack.folder.root.mkdir(parents=True)
        stack.start_broker()
        stack.start_catalog()
        plugin = _transforms(own.folder("transforms"), stack.folder.root / "transforms")
        worker = start_worker(stack, jars, extra={}, plugins={"transforms": plugin})
        ports, key = stack.ports, stack.folder.catalog_key
        catalog = RestCatalog("iceberg", **client_properties(ports.catalog_url, key))
        catalog.create_namespace_if_not_exists(NAMESPACE)
        with reading(ports.bootstrap_servers) as letters:
            yield Peer(stack, worker, catalog, letters)
    finally:
        stack.folder.service(WORKER).stop(STOP_SECONDS)
        stacks.stop(stack.folder)


def _transforms(jars: Path, folder: Path) -> Path:
    """Make a plugin of the transforms' jars and a list of their classes."""
    folder.mkdir()
    for jar in jars.glob("*.jar"):
        (folder / jar.name).symlink_to(jar)
    with zipfile.ZipFile(folder / "listed.jar", "w") as listed:
        names = "".join(f"{ICEBERG}{name}\n" for name in _TRANSFORMS)
        listed.writestr(
            "META-INF/services/org.apache.kafka.connect.transforms.Transformation", names
        )
    return folder
