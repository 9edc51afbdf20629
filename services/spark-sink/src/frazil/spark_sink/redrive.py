"""Dead letters that go through their connector once more, each at most once (ADR 27)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from frazil.contracts.redrive import Redrive
from frazil.runtime.logs import get_logger
from frazil.spark_sink.boxes import letter_committer
from frazil.spark_sink.committer import Committer, Driver
from frazil.spark_sink.raw import RECORD
from frazil.spark_sink.store import Letters, SchemaWaitsError, Split, Stores

log = get_logger(__name__)


@dataclass(frozen=True)
class Redriver:
    """`find` opens the store of a name; None if it cannot be written now, and is left for later.

    `leave` is told of one that has to wait for a person first; its letters wait with it.
    """

    driver: Driver
    stores: Stores
    letters: Letters
    order: Redrive
    find: Callable[[str], Committer | None]
    leave: Callable[[str, SchemaWaitsError], None]

    def run(self) -> int:
        """Put back what can be rows by now, and return how many there were."""
        picked = self.letters.read(self.order.picks).persist()
        try:
            names = {row[0] for row in picked.select("table").distinct().collect()}
            with self._nameless(picked, is_there=None in names) as split:
                return self._put_all(picked, split, names - {None} | split.parts.keys())
        finally:
            picked.unpersist()

    def _put_all(self, picked: DataFrame, split: Split, names: set[str]) -> int:
        rows = 0
        for name in sorted(names):
            part = split.parts.get(name)
            own = _records(picked.where(fn.col("table") == name))
            put = self._try(name, own if part is None else own.unionByName(part))
            if put is None:
                if part is not None:
                    # From now on it says its table, and so others do not get it once more.
                    self._keep(_refused(part), name)
                continue
            rows += put
            self.letters.delete(self.order.picks, name)
        if split.letters is not None:
            self._keep(split.letters(), "")
            self.letters.delete(self.order.picks, None)
        log.info("redriven", rows=rows)
        return rows

    @contextmanager
    def _nameless(self, picked: DataFrame, *, is_there: bool) -> Iterator[Split]:
        """Tell which tables letters are for that were too broken to say so."""
        if not is_there:
            yield Split({})
            return
        split = self.stores.split(_records(picked.where(fn.col("table").isNull())))
        try:
            yield split
        finally:
            split.close()

    def _try(self, name: str, records: DataFrame) -> int | None:
        """Put records into their table; None if that cannot be done now."""
        committer = self.find(name)
        if committer is None or committer.ledger is None:
            return None
        try:
            return self._put_back(name, committer, records)
        except SchemaWaitsError as error:
            self.leave(name, error)
            return None

    def _put_back(self, name: str, committer: Committer, records: DataFrame) -> int:
        if committer.redrive >= self.order.number:
            # Done, by a driver that ended before it could take the letters away.
            return 0
        draft = committer.store.write(records, ())
        if draft.counts.letters and draft.letters is not None:
            self._keep(draft.letters(), name)
        committer.put_back(draft.files, draft.counts, self.order.number)
        return draft.counts.written

    def _keep(self, letters: DataFrame, name: str) -> None:
        """Put away anew what is no row yet: before the commit, so that none is lost."""
        box = letter_committer(self.driver, self.letters, name)
        if box.redrive >= self.order.number:
            return
        newest = max(pick.before for pick in self.order.picks)
        # Whatever the clock here says: what is put away now must not be taken for what was picked.
        now = fn.greatest(fn.current_timestamp(), fn.lit(newest))
        written = box.store.write(letters.withColumn("failed_at", now), ())
        box.put_back(written.files, written.counts, self.order.number)


def _refused(records: DataFrame) -> DataFrame:
    why = fn.lit("its table was not written when it was tried again")
    return records.select("*", fn.lit("row").alias("reason"), why.alias("message"))


def _records(frame: DataFrame) -> DataFrame:
    return frame.select(*RECORD)
