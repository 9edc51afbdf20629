"""All tables of one Iceberg connector: listed, or named by its records."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.ledger import Ledger
from frazil.contracts.plugins.iceberg_tables import is_changing
from frazil.spark_sink.core.maintenance import Objectives
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.store import Enter, OpenMaintenance, Records, Split
from frazil.spark_sink.tables.changing import ChangingTable
from frazil.spark_sink.tables.control_topic import ControlTopic
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.letters import TableOfLetters
from frazil.spark_sink.tables.maintenance import TableMaintenance
from frazil.spark_sink.tables.part import Part
from frazil.spark_sink.tables.predecessor import Heritage
from frazil.spark_sink.tables.settings import TableKeys
from frazil.spark_sink.tables.split import split_by_tasks
from frazil.spark_sink.tables.table import TableStore
from frazil.spark_sink.task_runner import TaskRunner
from frazil.spark_sink.tasks.plan import RecordPlan, TaskPlan
from frazil.worker.errors import NoTableError


class TableStores:
    """Tables are opened when they are needed, and written by the tasks of one runner."""

    def __init__(
        self,
        spark: SparkSession,
        broker: Broker,
        *,
        keys: TableKeys,
        control: ControlTopic | None,
        heritage: Heritage | None = None,
    ) -> None:
        self.listed = keys.listed
        self.threads = keys.threads
        self._spark = spark
        self._broker = broker
        self._keys = keys
        self._control = control
        self._heritage = heritage
        self._opened: dict[str, TableStore] = {}
        self._lake = self._open_lake()
        plan = TaskPlan(RecordPlan.of(keys.config), kafka=broker.client_properties)
        self._runner = TaskRunner(spark, plan, keys.config["tasks.max"])

    @property
    def takes_ranges(self) -> bool:
        return self._runner.reads_kafka

    def open(self, name: str) -> TableStore:
        if "." not in name.strip("."):
            raise NoTableError(
                f"{name} is no name of a table: it has no namespace. Set frazil.tables.namespace, "
                "or correct what names tables."
            )
        heritage = None if self._heritage is None else self._heritage.of(name)
        store = self._kind(self._spark, self._lake, name, keys=self._keys, heritage=heritage)
        self._opened[name] = store
        # The driver before this one may have ended between a commit and its event.
        self.tell([name])
        return store

    def _open_lake(self) -> Lake:
        return Lake(self._spark, self._keys.catalog)

    @property
    def _kind(self) -> type[TableStore]:
        return ChangingTable if is_changing(self._keys.config) else TableStore

    def part(self, name: str, records: DataFrame) -> Part:
        # They are for this table, whatever routes would say of them today.
        runner = self._runner.without_route()
        plans = {name: self._opened[name].plan({})}
        return Part(runner, name, runner.run([runner.source(records)], plans))

    def split(self, records: Records, enter: Enter) -> Split:
        return split_by_tasks(self._runner, records, enter)

    @property
    def letters(self) -> TableOfLetters | None:
        if not self._keys.dead_letters:
            return None
        return TableOfLetters(self._spark, self._lake, self._keys)

    @property
    def open_maintenance(self) -> OpenMaintenance | None:
        objectives = self._keys.objectives
        return None if objectives is None else partial(self._open_maintenance, objectives)

    def _open_maintenance(
        self, objectives: Objectives, name: str, stream: AbstractContextManager[object]
    ) -> TableMaintenance:
        return TableMaintenance(
            self._spark,
            self._lake,
            name,
            branch=self._keys.branch(name),
            changes=is_changing(self._keys.config),
            objectives=objectives,
            stream=stream,
        )

    def hint(self) -> Ledger | None:
        if self.listed and not self._keys.may_wait_from_latest:
            return None
        return self._broker.group_ledger()

    def tell(self, names: Iterable[str]) -> None:
        if self._control is not None:
            found = [self._opened[name].published() for name in names]
            self._control.tell([one for one in found if one is not None])

    def close(self) -> None:
        if self._control is not None:
            self._control.close()
