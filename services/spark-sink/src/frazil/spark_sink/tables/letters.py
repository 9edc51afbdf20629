"""Dead letters read again from their table, and taken out of it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.offsets import Offsets, each
from frazil.contracts.redrive import Pick
from frazil.runtime.logs import get_logger
from frazil.spark_sink.catalog import catalog_error
from frazil.spark_sink.tables.changes import quoted
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.letter_table import SCHEMA, LetterTable
from frazil.spark_sink.tables.settings import TableKeys
from frazil.spark_sink.tasks.chunks import KAFKA_COLUMNS
from frazil.spark_sink.tasks.dead_letters import NULLED
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

log = get_logger(__name__)

# Other connectors may put letters into the same table meanwhile.
_ATTEMPTS = 5
_COLUMNS = ("table", *KAFKA_COLUMNS)

_Args = dict[str, str | int | datetime | None]


class TableOfLetters:
    def __init__(self, spark: SparkSession, lake: Lake, keys: TableKeys) -> None:
        self._spark = spark
        self._lake = lake
        self._id = keys.dead_letters
        self._connector = keys.connector
        self._keys = keys

    def open(self, refusing: str) -> LetterTable:
        return LetterTable(self._spark, self._lake, refusing, self._keys)

    def read(self, picks: Sequence[Pick]) -> DataFrame:
        if self._lake.load(self._id) is None:
            return self._spark.createDataFrame([], SCHEMA).select(*_COLUMNS)
        which, args = self._which(picks)
        columns = ", ".join(quoted(name) for name in _COLUMNS)
        return self._spark.sql(f"SELECT {columns} FROM {self._name} WHERE {which}", args)  # noqa: S608

    def delete(self, picks: Sequence[Pick], table: str | None) -> None:
        self._delete(*self._which(picks), table)

    def delete_from(self, offsets: Offsets, table: str | None) -> None:
        args: _Args = {"connector": self._connector}
        any_of = ["false"]
        for number, (topic, partition, offset) in enumerate(each(offsets)):
            any_of.append(
                f"topic = :t{number} AND `partition` = :p{number} AND `offset` >= :o{number}"
            )
            args |= {f"t{number}": topic, f"p{number}": partition, f"o{number}": offset}
        self._delete(f"connector = :connector AND ({' OR '.join(any_of)})", args, table)

    def _delete(self, which: str, args: _Args, table: str | None) -> None:
        statement = f"DELETE FROM {self._name} WHERE {which} AND `table` <=> :refusing"  # noqa: S608
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._spark.sql(statement, {**args, "refusing": table})
            except JAVA_ERRORS as error:
                message = java_message(error)
                if attempt == _ATTEMPTS:
                    raise catalog_error(message, self._id) from None
                log.warning("letters_not_deleted_yet", why=message.partition("\n")[0])
            else:
                return

    def _which(self, picks: Sequence[Pick]) -> tuple[str, _Args]:
        """Say which letters are picked, as SQL with parameters."""
        args: _Args = {"connector": self._connector}
        any_of = []
        for number, pick in enumerate(picks):
            found = dict(_conditions(pick))
            any_of.append(
                " AND ".join(text.format(f":p{number}_{of}") for of, (text, _) in found.items())
            )
            args |= {f"p{number}_{of}": value for of, (_, value) in found.items()}
        # A letter whose record is a row must not become a second one.
        once = f"NOT reason <=> '{NULLED}'"
        return f"connector = :connector AND {once} AND ({' OR '.join(any_of)})", args

    @property
    def _name(self) -> str:
        return quoted(self._lake.name, *self._id.split("."))


def _conditions(pick: Pick) -> Iterator[tuple[str, tuple[str, str | datetime]]]:
    yield "before", ("failed_at < {}", pick.before)
    if pick.table is not None:
        yield "table", ("`table` = {}", pick.table)
    if pick.reason is not None:
        yield "reason", ("reason = {}", pick.reason)
