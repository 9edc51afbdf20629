"""Dead letters that go through their connector once more, each at most once (ADR 27)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, cast

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from frazil.contracts.redrive import Redrive
from frazil.runtime.logs import get_logger
from frazil.spark_sink.boxes import letter_committer
from frazil.spark_sink.committer import Committer, Driver
from frazil.spark_sink.counts import sum_of
from frazil.spark_sink.records.conversion import ConversionRules
from frazil.spark_sink.records.schema.types import Struct
from frazil.spark_sink.store import (
    Letters,
    PlannedStore,
    Records,
    SchemaWaitsError,
    Split,
    Stores,
)
from frazil.spark_sink.tasks.chunks import KAFKA_COLUMNS
from frazil.spark_sink.tasks.plan import TablePlan

log = get_logger(__name__)

_NOT_WRITTEN = "its table was not written when it was tried again"


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
            put = self._try(name, own, part)
            if put is None:
                if part is not None:
                    # From now on it says its table, and so others do not get it once more.
                    self._keep(part.letters(), name)
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
        nameless = _records(picked.where(fn.col("table").isNull()))
        split = self.stores.split(Records(nameless), self._enter)
        try:
            yield split
        finally:
            split.close()

    def _enter(self, names: Iterable[str]) -> dict[str, Any]:
        """Describe the tables that letters name; what is for one that is not written is refused."""
        plans = {}
        for name in names:
            committer = self.find(name)
            if committer is None or committer.ledger is None:
                plans[name] = TablePlan(name, Struct(()), ConversionRules(), refusal=_NOT_WRITTEN)
            else:
                plans[name] = cast("PlannedStore", committer.store).plan({})
        return plans

    def _try(self, name: str, own: DataFrame, more: Any | None) -> int | None:
        """Put records into their table; None if that cannot be done now."""
        committer = self.find(name)
        if committer is None or committer.ledger is None:
            return None
        try:
            parts = [self.stores.part(name, own), *([] if more is None else [more])]
            return self._put_back(name, committer, parts)
        except SchemaWaitsError as error:
            self.leave(name, error)
            return None

    def _put_back(self, name: str, committer: Committer, parts: Sequence[Any]) -> int:
        if committer.redrive >= self.order.number:
            # Done, by a driver that ended before it could take the letters away.
            return 0
        drafts = [committer.store.write(part, ()) for part in parts]
        refused = [one.letters() for one in drafts if one.counts.letters and one.letters]
        if refused:
            self._keep(reduce(_union, refused), name)
        counts = sum_of(one.counts for one in drafts)
        files = [file for one in drafts for file in one.files]
        committer.put_back(files, counts, self.order.number)
        for part in parts:
            part.discard()
        return counts.written

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


def _union(one: DataFrame, other: DataFrame) -> DataFrame:
    return one.unionByName(other)


def _records(frame: DataFrame) -> DataFrame:
    return frame.select(*KAFKA_COLUMNS)
