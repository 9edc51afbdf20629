"""All tables of one Iceberg connector: listed, or named by its records."""

from collections.abc import Callable, Iterable

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.ledger import Ledger
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.raw import packed
from frazil.spark_sink.records.apart import TopicReaders
from frazil.spark_sink.store import Split
from frazil.spark_sink.tables.changing import ChangingTable
from frazil.spark_sink.tables.control_topic import ControlTopic
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.letter_table import LetterTable
from frazil.spark_sink.tables.routes import Route, split_by
from frazil.spark_sink.tables.settings import TableKeys
from frazil.spark_sink.tables.table import TableStore
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
    ) -> None:
        self.listed = keys.listed
        self.threads = keys.threads
        self._spark = spark
        self._broker = broker
        self._keys = keys
        self._reader = reader
        self._route = route
        self._control = control
        self._opened: dict[str, TableStore] = {}
        self._lake = Lake(spark, keys.catalog)

    def open(self, name: str) -> TableStore:
        if "." not in name.strip("."):
            raise NoTableError(
                f"{name} is no name of a table: it has no namespace. Set frazil.tables.namespace, "
                "or correct what names tables."
            )
        # A reader of its own: it remembers the shape of what it read last.
        reader = TopicReaders(self._keys.config)
        kind = ChangingTable if self._keys.changes else TableStore
        store = kind(self._spark, self._lake, name, keys=self._keys, reader=reader)
        self._opened[name] = store
        # The driver before this one may have ended between a commit and its event.
        self.tell([name])
        return store

    def split(self, batch: DataFrame) -> Split:
        if self._route is not None:
            return split_by(self._route, self._reader, batch)
        if len(self.listed) == 1:
            return Split({self.listed[0]: batch})
        kept = packed(batch).persist()
        return Split(dict.fromkeys(self.listed, kept), close=kept.unpersist)

    @property
    def open_letters(self) -> Callable[[str], LetterTable] | None:
        return self._open_letters if self._keys.dead_letters else None

    def _open_letters(self, refusing: str) -> LetterTable:
        return LetterTable(self._spark, self._lake, refusing, self._keys)

    def hint(self) -> Ledger | None:
        return self._broker.group_ledger()

    def tell(self, names: Iterable[str]) -> None:
        if self._control is not None:
            found = [self._opened[name].published() for name in names]
            self._control.tell([one for one in found if one is not None])

    def close(self) -> None:
        if self._control is not None:
            self._control.close()
