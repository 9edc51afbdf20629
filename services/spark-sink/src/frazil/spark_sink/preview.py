"""What a sink would do with the newest records of its topics: looked at, and left alone."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.preview import Preview, PreviewedLetter, TablePreview
from frazil.runtime.logs import get_logger
from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.core.sample import newest
from frazil.spark_sink.failure import explain
from frazil.spark_sink.kafka import Broker, range_options
from frazil.spark_sink.store import Destination, Records, Split
from frazil.spark_sink.tables.preview import PreviewStores
from frazil.worker.board import StatusBoard
from frazil.worker.errors import NoTableError, UnavailableError

log = get_logger(__name__)

_MOST_LETTERS = 10


class Previewed(Destination, Protocol):
    """A destination that can be looked at without being touched."""

    def open_preview(self, spark: SparkSession, broker: Broker) -> PreviewStores: ...


class _Tables:
    """The tables that are looked at, each opened once; `refused` are those that cannot be."""

    def __init__(self, stores: PreviewStores) -> None:
        self.stores = stores
        self.refused: dict[str, Exception] = {}
        self._opened: dict[str, Any] = {}

    def open(self, name: str) -> Any:
        """Open a table; the second time, raise again why it cannot be."""
        if name in self.refused:
            raise self.refused[name]
        if name not in self._opened:
            self._opened[name] = self.stores.open(name)
        return self._opened[name]

    def enter(self, names: Iterable[str]) -> dict[str, Any]:
        """Describe tables to tasks."""
        plans = {}
        for name in [*names] or self.stores.listed:
            try:
                plans[name] = self.open(name).plan({})
            except Exception as error:  # noqa: BLE001 (it is said of the table)
                self.refused[name] = error
        return plans


class PreviewJob:
    """An errand: it has no ledger, claims nothing and commits nothing, and ends by itself."""

    def __init__(
        self, config: SinkConfig, destination: Previewed, board: StatusBoard, records: int
    ) -> None:
        self._config = config
        self._destination = destination
        self._board = board
        self._records = records
        self._found = Preview()

    @property
    def memory(self) -> str:
        return self._config.memory

    @property
    def spark_conf(self) -> dict[str, str]:
        return self._config.session_conf(self._destination.spark_conf)

    def run(self, spark: SparkSession) -> None:
        broker = Broker(spark, self._config)
        try:
            topics = broker.topics()
            span = newest(topics, self._records)
            options = range_options(self._config, span)
            batch = spark.read.format("kafka").options(**options).load()
            self._tell(step=f"reads {', '.join(topics)}")
            self.look(self._destination.open_preview(spark, broker), Records(batch, span))
        except Exception as error:  # noqa: BLE001 (whatever it was, it is said what it means)
            raise explain(error) from None
        finally:
            broker.close()

    def look(self, stores: PreviewStores, records: Records) -> Preview:
        """Take records apart as a batch is, and look at one table after the other."""
        tables = _Tables(stores)
        split = stores.split(records, tables.enter)
        try:
            self._tell(records=split.total, dead=split.dead, astray=split.astray)
            self._show(None, split.dead, split.letters)
            names = sorted(split.parts.keys() | tables.refused.keys())
            for name in names:
                self._tell(step=f"looks at {name}, one of {len(names)} tables")
                self._look_at(tables, name, split)
        finally:
            split.close()
        self._tell(step="done")
        return self._found

    def _look_at(self, tables: "_Tables", name: str, split: Split) -> None:
        table = TablePreview(table=name, exists=False)
        try:
            store = tables.open(name)
            table = table.model_copy(update={"exists": store.exists})
            written = store.write(split.parts[name], ())
            counts, table = written.counts, tables.stores.told(store, name, written.counts)
            self._tell(
                records=max(self._found.records, counts.consumed),
                dead=self._found.dead + counts.dead,
            )
            self._show(name, counts.dead, written.letters)
        except Exception as error:
            why = explain(error)
            if isinstance(why, UnavailableError):
                raise
            log.warning("table_would_fail", table=name, why=str(why))
            table = table.model_copy(update={"trouble": str(why)})
            if isinstance(why, NoTableError):
                self._tell(astray=self._found.astray + split.counts.get(name, 0))
        self._tell(tables=(*self._found.tables, table))

    def _show(self, table: str | None, dead: int, letters: Callable[[], DataFrame] | None) -> None:
        room = _MOST_LETTERS - len(self._found.letters)
        if not dead or letters is None or not room:
            return
        found = letters().select("topic", "partition", "offset", "message").limit(room).collect()
        more = [
            PreviewedLetter(table=table, topic=at[0], partition=at[1], offset=at[2], reason=at[3])
            for at in found
        ]
        self._tell(letters=(*self._found.letters, *more))

    def _tell(self, **found: object) -> None:
        self._found = self._found.model_copy(update=found)
        self._board.update(preview=self._found)
