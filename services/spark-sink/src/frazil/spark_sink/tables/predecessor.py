"""What Kafka Connect's sink left in Kafka, read once, and told as ledgers of the tables."""

import json
import threading
from contextlib import closing
from dataclasses import dataclass

from pyspark.sql import SparkSession

from frazil.contracts.assignment import Assignment
from frazil.contracts.ledger import Ledger, committed_offsets_key
from frazil.contracts.offsets import Offsets
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.commit_keys import CONTROL_TOPIC
from frazil.contracts.plugins.takeover_keys import TAKEOVER_GROUP
from frazil.runtime.logs import get_logger
from frazil.spark_sink.core.predecessor import EndTold, FilesTold, Places, Predecessor
from frazil.spark_sink.groups import Groups
from frazil.spark_sink.tables.control_events import ControlEvent, ControlEvents
from frazil.worker.connector import kafka_properties
from frazil.worker.errors import UnavailableError
from frazil.worker.kafka import Admin

log = get_logger(__name__)

NOTHING_COMMITTED = "{}"
_DATA_WRITTEN, _DATA_COMPLETE = 1, 2


@dataclass(frozen=True)
class TakeoverKeys:
    """Whose work is gone on with: its group, and its control topic."""

    group: str
    topic: str
    kafka: dict[str, str]
    connector: str


def takeover_keys(assignment: Assignment, config: ParsedConfig) -> TakeoverKeys | None:
    if not config[TAKEOVER_GROUP]:
        return None
    return TakeoverKeys(
        group=config[TAKEOVER_GROUP],
        topic=config[CONTROL_TOPIC],
        kafka=kafka_properties(assignment, config, "iceberg.kafka."),
        connector=assignment.connector,
    )


class Heritage:
    """What tables need to know of it; until one asks nothing is read."""

    def __init__(self, spark: SparkSession, keys: TakeoverKeys) -> None:
        self._spark = spark
        self._keys = keys
        # Tables are opened on several threads.
        self._turn = threading.Lock()
        self._read: tuple[Predecessor, dict[str, str]] | None = None
        self.key = committed_offsets_key(keys.topic, keys.group)

    def of(self, table: str) -> "TableHeritage":
        return TableHeritage(self, table)

    def ledger(self, table: str, told: str | None) -> Ledger:
        with self._turn:
            self._read = self._read or self._look()
        predecessor, fences = self._read
        committed = None if told is None else {int(k): v for k, v in json.loads(told).items()}
        end = predecessor.end_in(table, committed)
        log.info("taken_over", table=table, group=self._keys.group, position=end)
        return Ledger(
            connector=self._keys.connector,
            epoch=0,
            run=f"{self._keys.group} {told}",
            cluster_id="",
            topic_ids={},
            start={},
            end=end,
            fences=fences,
        )

    def _look(self) -> tuple[Predecessor, dict[str, str]]:
        group, dealt_with = self._groups()
        files: list[FilesTold] = []
        ends: list[EndTold] = []
        with closing(ControlEvents(self._spark, self._keys.kafka, self._keys.topic)) as events:
            for event in events.of_group(self._keys.group):
                if event.kind == _DATA_WRITTEN:
                    files.append(_files(event))
                elif event.kind == _DATA_COMPLETE:
                    ends.append(_end(event))
        predecessor = Predecessor(group, dealt_with, events.oldest, files, ends)
        # Whatever it has told so far is in a table, or left: a coordinator that comes back is to
        # pass it over.
        fence = json.dumps(events.newest, separators=(",", ":"))
        return predecessor, {self.key: fence}

    def _groups(self) -> tuple[Offsets, Places]:
        """Return where the group is, and its coordinator on the control topic; nobody may move."""
        keys = self._keys
        tasks, coordinator = keys.group, f"{keys.group}-coord"
        admin = Admin(self._spark, keys.kafka, keys.connector)
        try:
            groups = Groups(self._spark, admin)
            for name in (tasks, coordinator):
                if groups.has_members(name):
                    raise UnavailableError(
                        f"Kafka Connect's sink still runs: group {name} has members. Stop it there."
                    )
            return groups.offsets(tasks), groups.offsets(coordinator).get(keys.topic, {})
        finally:
            admin.close()


class TableHeritage:
    """The other sink's commits to one table, as ledgers that it might have kept."""

    def __init__(self, heritage: Heritage, table: str) -> None:
        self._heritage = heritage
        self._table = table
        self._known: dict[str | None, Ledger] = {}
        self.key = heritage.key

    def ledger(self, told: str | None) -> Ledger:
        """Tell what a snapshot comes to that says this; None: those that did have expired."""
        if told not in self._known:
            self._known[told] = self._heritage.ledger(self._table, told)
        return self._known[told]


def _files(event: ControlEvent) -> FilesTold:
    table = event.payload.get("table_reference")
    names = [*table.get("namespace"), table.get("name")]
    return FilesTold(
        batch=_batch(event),
        partition=event.partition,
        offset=event.offset,
        table=".".join(str(name) for name in names),
    )


def _end(event: ControlEvent) -> EndTold:
    ends: Offsets = {}
    for one in event.payload.get("assignments"):
        # A partition without records since the last batch has none.
        if one.get("offset") is not None:
            ends.setdefault(str(one.get("topic")), {})[one.get("partition")] = one.get("offset")
    return EndTold(_batch(event), ends)


def _batch(event: ControlEvent) -> str:
    return f"{event.sender.hex()} {event.payload.get('commit_id').bytes().hex()}"
