"""All tables of one Iceberg connector: listed, or named by its records."""

from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.ledger import Ledger
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.raw import packed
from frazil.spark_sink.records.reader import Reader
from frazil.spark_sink.store import Split
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
        reader: Reader,
        route: Route | None,
    ) -> None:
        self.listed = keys.listed
        self.threads = keys.threads
        self._spark = spark
        self._broker = broker
        self._keys = keys
        self._reader = reader
        self._route = route
        self._lake = Lake(spark, keys.catalog)

    def open(self, name: str) -> TableStore:
        if "." not in name.strip("."):
            raise NoTableError(
                f"{name} is no name of a table: it has no namespace. Set frazil.tables.namespace, "
                "or correct what names tables."
            )
        # A reader of its own: it remembers the shape of what it read last.
        reader = Reader(self._keys.config)
        return TableStore(self._spark, self._lake, name, keys=self._keys, reader=reader)

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
