"""All tables of one Iceberg connector: listed, or named by its records."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.ledger import Ledger
from frazil.contracts.plugins.iceberg_tables import is_changing
from frazil.contracts.plugins.transforms.chain import aliases_of
from frazil.spark_sink.core.maintenance import Objectives
from frazil.spark_sink.expressions.apart import TopicReaders
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.raw import packed, records_of
from frazil.spark_sink.store import Enter, OpenMaintenance, Records, Split
from frazil.spark_sink.tables.changing import ChangingTable, SqlChangingTable
from frazil.spark_sink.tables.control_topic import ControlTopic
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.letters import TableOfLetters
from frazil.spark_sink.tables.maintenance import TableMaintenance
from frazil.spark_sink.tables.part import Part
from frazil.spark_sink.tables.predecessor import Heritage, TableHeritage
from frazil.spark_sink.tables.routes import Route, split_by
from frazil.spark_sink.tables.settings import TableKeys
from frazil.spark_sink.tables.split import split_by_tasks
from frazil.spark_sink.tables.sql_table import SqlTable
from frazil.spark_sink.tables.table import TableStore
from frazil.spark_sink.task_runner import TaskRunner
from frazil.spark_sink.tasks.plan import RecordPlan, TaskPlan
from frazil.worker.errors import NoTableError


class TableStores:
    """`route` says for which tables a record is; None: for every one that is listed."""

    def __init__(
        self,
        spark: SparkSession,
        broker: Broker,
        *,
        keys: TableKeys,
        reader: TopicReaders,
        route: Route | None,
        control: ControlTopic | None,
        heritage: Heritage | None = None,
    ) -> None:
        self.listed = keys.listed
        self.threads = keys.threads
        self._spark = spark
        self._broker = broker
        self._keys = keys
        self._reader = reader
        self._route = route
        self._control = control
        self._heritage = heritage
        self._opened: dict[str, TableStore | SqlTable] = {}
        self._lake = self._open_lake()
        self._runner = self._task_runner()

    def _task_runner(self) -> TaskRunner | None:
        """Return what runs tasks; None where records go through Spark SQL."""
        config = self._keys.config
        if aliases_of(config, "Sql"):
            return None
        plan = TaskPlan(RecordPlan.of(config), kafka=self._broker.client_properties)
        return TaskRunner(self._spark, plan, self._keys.config["tasks.max"])

    def open(self, name: str) -> TableStore | SqlTable:
        if "." not in name.strip("."):
            raise NoTableError(
                f"{name} is no name of a table: it has no namespace. Set frazil.tables.namespace, "
                "or correct what names tables."
            )
        heritage = None if self._heritage is None else self._heritage.of(name)
        store = self._store(name, heritage)
        self._opened[name] = store
        # The driver before this one may have ended between a commit and its event.
        self.tell([name])
        return store

    def _store(self, name: str, heritage: TableHeritage | None) -> TableStore | SqlTable:
        if self._runner is not None:
            return self._planned_kind(
                self._spark, self._lake, name, keys=self._keys, heritage=heritage
            )
        # A reader of its own: it remembers the shape of what it read last.
        reader = TopicReaders(self._keys.config)
        return self._kind(
            self._spark, self._lake, name, keys=self._keys, reader=reader, heritage=heritage
        )

    def _open_lake(self) -> Lake:
        return Lake(self._spark, self._keys.catalog)

    @property
    def _planned_kind(self) -> type[TableStore]:
        return ChangingTable if is_changing(self._keys.config) else TableStore

    @property
    def _kind(self) -> type[SqlTable]:
        return SqlChangingTable if is_changing(self._keys.config) else SqlTable

    def part(self, name: str, records: DataFrame) -> Part | DataFrame:
        store = self._opened[name]
        if self._runner is None or not isinstance(store, TableStore):
            return records
        # They are for this table, whatever routes would say of them today.
        runner = self._runner.without_route()
        return Part(runner, name, runner.run([records_of(records)], {name: store.plan({})}))

    def split(self, records: Records, enter: Enter) -> Split:
        if self._runner is not None:
            return split_by_tasks(self._runner, records, enter)
        batch = records.frame
        if self._route is not None:
            return split_by(self._route, self._reader, batch)
        if len(self.listed) == 1:
            return Split({self.listed[0]: batch})
        kept = packed(batch).persist()
        return Split(dict.fromkeys(self.listed, kept), close=kept.unpersist)

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
