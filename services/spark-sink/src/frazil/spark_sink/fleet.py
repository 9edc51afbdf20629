"""All stores of one connector, batch by batch: each gets its records once, whatever befalls others.

A store that fails by itself is set aside if errors are tolerated, and so is one that is paused, or
waits for a person. The others go on, but no ledger and no group says any more that all is
everywhere: a restart begins where the store was left.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import Any, TypeVar, cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.util import inheritable_thread_target

from frazil.contracts.offsets import Offsets, each
from frazil.contracts.states import TableState
from frazil.contracts.worker_status import TableStatus
from frazil.runtime.logs import get_logger
from frazil.spark_sink.boxes import Box, forget_undone
from frazil.spark_sink.committer import Batch, Committer, Driver
from frazil.spark_sink.completeness import Completeness
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.counts import BadRecord
from frazil.spark_sink.failure import bad_record_error, conflict_error, explain, too_many_dead_error
from frazil.spark_sink.outcome import Outcome
from frazil.spark_sink.redrive import Redriver
from frazil.spark_sink.roster import Roster
from frazil.spark_sink.start import take_position
from frazil.spark_sink.store import (
    PlannedStore,
    Records,
    SchemaWaitsError,
    Split,
    Stores,
    Written,
)
from frazil.worker.bridge import enter_session
from frazil.worker.errors import (
    BadRecordError,
    DataLossError,
    NoTableError,
    RefusedError,
    RolledBackError,
    SupersededError,
    UnavailableError,
)
from frazil.worker.job import StreamMovedError

log = get_logger(__name__)

_LOOK_AGAIN_SECONDS = 30
_OF_ALL = (SupersededError, UnavailableError, StreamMovedError, DataLossError)
_Result = TypeVar("_Result")


class Fleet:
    """The stores, from the stream's thread; one of them may be written on each of some threads."""

    def __init__(
        self,
        spark: SparkSession,
        driver: Driver,
        stores: Stores,
        completeness: Completeness,
        boxes: Sequence[Box] = (),
    ) -> None:
        self._spark = spark
        self._driver = driver
        self._stores = stores
        self._boxes = boxes
        self._completeness = completeness
        self._roster = Roster(stores.listed, driver.config.paused_tables, driver.config.side)
        self._look_again: dict[str, float] = {}
        self._turn = 0
        self._committers = self._each(self._roster.running(stores.listed), self._open)

    @property
    def tables(self) -> dict[str, TableStatus]:
        return self._roster.tables

    @property
    def name(self) -> str:
        return ", ".join(self._stores.listed) or "tables that records name"

    def take_position(self) -> Offsets:
        listed = self._stores.listed
        self._completeness.begin([one.standing for one in self._committers.values()])
        position = take_position(
            self._driver,
            list(self._committers.values()),
            of_all=bool(listed) and len(self._committers) == len(listed),
            hint=self._stores.hint(),
        )
        reached = {name: one.covered for name, one in self._committers.items()}
        forget_undone(self._driver, self._stores.letters, {"": position, **reached})
        self._roster.hold(position)
        return position

    def redrive(self) -> int:
        """Put back dead letters, if a user wants that; return how many rows they have become."""
        order, letters = self._driver.config.redrive, self._stores.letters
        if order is None:
            return 0
        if letters is None:
            log.warning("nothing_to_redrive", why="frazil.dead.letters.table is not set")
            return 0
        leave = self._roster.leave
        return Redriver(self._driver, self._stores, letters, order, self._find, leave).run()

    def _find(self, name: str) -> Committer | None:
        self._open_named([name])
        return self._committers[name] if self._roster.running([name]) else None

    def write(self, records: Records, span: BatchRange) -> Outcome:
        """Write the files of all stores, then commit each."""
        split = self._stores.split(records, partial(self._enter, span.start))
        try:
            self._open_named(split.parts)
            self._roster.hold(span.start)
            self._refuse(split.dead, split.first_dead, self.name)
            drafts = self._drafts(split, span)
            self._roster.hold(span.start)
            self._refuse_dead(drafts)
            newest = [draft.counts.newest for draft in drafts.values()]
            through = self._completeness.after(newest, span.end)
            whole = Batch(span, self._roster.everywhere(span.start), through)
            self._put_away("", split.dead, split.letters, whole)
            committed = self._commit(drafts, whole)
            self._stores.tell(name for name, is_told in committed.items() if is_told)
            self._roster.hold(span.start)
            through = self._roster.tell_through(through)
            self._roster.tell_behind(span.end)
        finally:
            split.close()
        counts = {name: drafts[name].counts for name in committed}
        first = [split.first_dead, *(one.first_dead for one in counts.values())]
        return Outcome(
            split.total or max((one.counts.consumed for one in drafts.values()), default=0),
            sum(committed.values()),
            counts,
            astray=split.astray + self._roster.missed(split.counts),
            dead=split.dead + sum(one.dead for one in counts.values()),
            nulled=sum(one.nulled for one in counts.values()),
            first_dead=next(filter(None, first), None),
            done=self._roster.everywhere(span.end),
            valid_through=through,
            bytes=split.bytes,
        )

    def rest(self, end: Offsets) -> datetime | None:
        """Return through when all is there, nothing having been read since the last batch."""
        return self._roster.tell_through(self._completeness.at_rest(end))

    def _enter(self, start: Offsets, names: Iterable[str]) -> dict[str, Any]:
        """Open stores, and describe those that are written to the tasks of a batch."""
        wanted = [*names] or [*self._stores.listed] or [*self._committers]
        self._open_named(wanted)

        def plan(name: str) -> Any:
            committer = self._committers[name]
            return cast("PlannedStore", committer.store).plan(committer.beyond(start))

        return self._each(self._roster.running(wanted), plan)

    def _drafts(self, split: Split, span: BatchRange) -> dict[str, Written]:
        watched = [(topic, number) for topic, number, _ in each(span.end)]

        def draft(name: str) -> Written:
            committer, part = self._committers[name], split.parts[name]
            if isinstance(part, DataFrame):
                part = committer.needed(part, span.start)
            return committer.store.write(part, watched)

        return self._each(self._roster.running(split.parts), draft, undo=self._delete)

    def _commit(self, drafts: Mapping[str, Written], batch: Batch) -> Mapping[str, bool]:
        """Tell of each store that had a part in the batch whether it has the ledger already."""

        def commit(name: str) -> bool:
            draft = drafts[name]
            self._put_away(name, draft.counts.letters, draft.letters, batch)
            return self._committers[name].commit(draft.files, batch, draft.counts)

        for name, draft in drafts.items():
            if not draft.counts.consumed:
                self._put_away(name, draft.counts.letters, draft.letters, batch)
        names = [name for name, draft in drafts.items() if draft.counts.consumed]
        done = self._each(names, commit)
        for name, is_told in done.items():
            if is_told:
                self._roster.tell_commit(name, drafts[name].counts)
        return done

    def _put_away(
        self, name: str, count: int, letters: Callable[[], DataFrame] | None, batch: Batch
    ) -> None:
        if count and letters is not None:
            for box in self._boxes:
                box.put(letters(), name, batch)

    def _each(
        self,
        names: Sequence[str],
        act: Callable[[str], _Result],
        undo: Callable[[str, _Result], None] | None = None,
    ) -> dict[str, _Result]:
        """Act on each store; one that fails by itself is set aside, any other failure is raised."""
        results, errors = self._run(names, act)
        try:
            for name, error in errors.items():
                self._set_aside(name, explain(error), others_work=bool(results))
        except BaseException:
            for name, result in results.items():
                if undo is not None:
                    undo(name, result)
            raise
        return results

    def _run(
        self, names: Sequence[str], act: Callable[[str], _Result]
    ) -> tuple[dict[str, _Result], dict[str, Exception]]:
        results: dict[str, _Result] = {}
        errors: dict[str, Exception] = {}

        def attempt(name: str) -> None:
            try:
                results[name] = act(name)
            except Exception as error:  # noqa: BLE001 (raised again, or told of the table)
                errors[name] = error

        if len(names) < 2:
            for name in names:
                attempt(name)
            return results, errors
        # Without a session a thread has none of the settings, and no catalog.
        with ThreadPoolExecutor(
            min(self._stores.threads, len(names)),
            initializer=enter_session,
            initargs=(self._spark,),
        ) as pool:
            # Spark's jobs belong to the stream by what its thread holds.
            list(pool.map(inheritable_thread_target(self._spark)(attempt), names))
        return results, errors

    def _set_aside(self, name: str, error: BaseException, *, others_work: bool) -> None:
        if not self._may_go_on_after(error, others_work=others_work):
            raise error
        log.warning("table_set_aside", table=name, why=str(error))
        self._roster.leave(name, error)
        if self._roster.has_given_up(self._stores.listed):
            raise error

    def _may_go_on_after(self, error: BaseException, *, others_work: bool) -> bool:
        """Tell whether it is the fault of one store only, and others are to go on."""
        if isinstance(error, SchemaWaitsError):
            return True
        if not self._driver.config.tolerate_errors or len(self._stores.listed) == 1:
            return False
        if isinstance(error, RefusedError):
            return others_work
        return isinstance(error, RolledBackError) or not isinstance(error, _OF_ALL)

    def _open(self, name: str) -> Committer:
        return Committer(self._driver, self._stores.open(name))

    def _open_named(self, names: Iterable[str]) -> None:
        """Open stores that records name for the first time, or again if they were not there."""
        now = time.monotonic()
        for name in names:
            is_due = self._look_again.get(name, 0) < now
            if name in self._committers or self._roster.state(name).is_left or not is_due:
                continue
            try:
                self._committers[name] = self._open(name)
                self._roster.enter(name, TableState.RUNNING)
            except NoTableError as error:
                log.warning("table_missing", table=name, why=str(error))
                self._look_again[name] = now + _LOOK_AGAIN_SECONDS
                self._roster.enter(name, TableState.MISSING, error)
            except Exception as error:  # noqa: BLE001 (raised again, or told of the table)
                self._set_aside(name, explain(error), others_work=False)

    def _refuse_dead(self, drafts: Mapping[str, Written]) -> None:
        try:
            for name, draft in drafts.items():
                store = self._committers[name].store.name
                if draft.counts.first_stop is not None:
                    raise conflict_error(draft.counts.first_stop, store)
                self._refuse(draft.counts.dead, draft.counts.first_dead, store)
        except BadRecordError:
            for name, draft in drafts.items():
                self._delete(name, draft)
            raise

    def _refuse(self, dead: int, first: BadRecord | None, store: str) -> None:
        config = self._driver.config
        if dead and not config.tolerate_errors:
            raise bad_record_error(dead, first, store)
        if config.most_dead is not None and dead > config.most_dead:
            raise too_many_dead_error(dead, first, store, most=config.most_dead)

    def _delete(self, name: str, draft: Written) -> None:
        self._committers[name].store.delete_files(draft.files)

    def close(self) -> None:
        self._stores.close()

    def check_fence(self) -> None:
        """Look for a newer driver in one store after the other: it has claimed them all."""
        if self._committers:
            committers = list(self._committers.values())
            self._turn = (self._turn + 1) % len(committers)
            committers[self._turn].check_fence()

    @property
    def running(self) -> list[str]:
        return self._roster.running(list(self._committers))

    def tell_if_due(self) -> None:
        self._stores.tell([name for name in self.running if self._committers[name].tell_if_due()])
