"""Many stores behind their ledgers: whatever is killed or overtaken, each record is there once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.contracts.assignment import Assignment
from frazil.contracts.ledger import Ledger, standing
from frazil.contracts.offsets import Ending, Mode, Offsets, Rewind, covers
from frazil.spark_sink.committer import Batch, Committer, Driver
from frazil.spark_sink.config import sink_config
from frazil.spark_sink.core.judge import Claim, Verdict, judge
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.core.undoing import Told, Undoing, undoing
from frazil.spark_sink.counts import BatchCounts
from frazil.spark_sink.start import take_position
from frazil.worker.connector import read_config
from frazil.worker.errors import RolledBackError, SupersededError
from frazil.worker.job import StreamMovedError

COUNT = 40
KEYS = {
    "name": "c",
    "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
    "topics": "t",
    "iceberg.tables": "ns.t",
    "iceberg.catalog.type": "rest",
}


@dataclass
class MemoryStore:
    """A store whose history is a list of ledgers; its rows are offsets, by number of the commit."""

    name: str
    files: dict[int, list[int]] = field(default_factory=dict)
    history: list[Ledger] = field(default_factory=list)
    taken_back: Ledger | None = None
    is_there = True

    @property
    def rows(self) -> list[int]:
        return [offset for file in self.files.values() for offset in file]

    def ledger(self) -> Ledger | None:
        return self.history[-1] if self.history else None

    def lost(self) -> Ledger | None:
        return self.taken_back

    def append(self, files: list[Any], ledger: Ledger, claim: Claim) -> Verdict:
        verdict = judge(self.ledger(), claim)
        if verdict is Verdict.APPEND:
            undone = [file for file in files if isinstance(file, Undoing)]
            for number, _ in undone[0].commits if undone else ():
                self.files.pop(number, None)
            self.files[len(self.history)] = [] if undone else files
            self.history.append(ledger)
            self.taken_back = None
        return verdict

    def undoing(self, wanted: Offsets, topics: Mapping[str, TopicFacts]) -> Undoing | None:
        return undoing(self.name, Told([*enumerate(self.history)], is_whole=True), wanted, topics)

    def end_sides(self, _epoch: int) -> None:
        """Have no branches."""

    def delete_files(self, _files: list[Any]) -> None:
        """Nothing was written anywhere."""

    def write(self, *_: Any) -> Any:
        raise NotImplementedError


class KilledError(Exception):
    """What a driver was doing is over."""


class MortalCommitter(Committer):
    def __init__(self, driver: Driver, store: MemoryStore, run: "Run") -> None:
        super().__init__(driver, store)
        self._run = run

    def claim(self, span: BatchRange, position: Offsets) -> None:
        self._run.count_claim()
        super().claim(span, position)


class Run:
    """One driver; a record of offset n is for the stores of `routes[n]`.

    Where the offset of a `group` is given, even 0 for none, records name the stores.
    """

    def __init__(
        self,
        epoch: int,
        stores: list[MemoryStore],
        routes: list[set[int]],
        *,
        group: int | None = None,
        on_data_loss: str = "fail",
        rewind: Rewind | None = None,
        claims: int = 99,
    ) -> None:
        """Begin; `claims` tells after how many of these the driver is killed."""
        config = {**KEYS, "frazil.on.data.loss": on_data_loss}
        assignment = Assignment(
            connector="c", epoch=epoch, generation=1, worker_id="w", config=config,
            kafka={"bootstrap.servers": "k"}, rewind=rewind,
        )  # fmt: skip
        parsed = sink_config(assignment, read_config(assignment), commit_interval_ms=0)
        self.driver = Driver(parsed, "cluster", {"t": TopicFacts("id-t", {0: 0}, {0: COUNT})})
        self._routes = routes
        self._stores = stores
        listed = stores if group is None else []
        self._claims = claims
        self._committers = [MortalCommitter(self.driver, store, self) for store in listed]
        hint = _group(group) if group else None
        position = take_position(self.driver, self._committers, of_all=group is None, hint=hint)
        self.at = position["t"][0]

    def count_claim(self) -> None:
        if self._claims == 0:
            raise KilledError
        self._claims -= 1

    def batch(self, size: int, *, commits: int = 99) -> bool:
        """Write a batch to its stores; False if it was killed after some commits."""
        start, end = self.at, min(self.at + size, COUNT)
        batch = Batch(BatchRange(_at(start), _at(end)), settled=_at(start))
        for number, store in enumerate(self._stores):
            committer = self._committer(store)
            seen = committer.covered.get("t", {}).get(0, 0)
            mine = [o for o in range(max(start, seen), end) if number in self._routes[o]]
            if not mine:
                continue
            if commits == 0:
                return False
            commits -= 1
            committer.commit(mine, batch, _counts(len(mine)))
        self.at = end
        return True

    def _committer(self, store: MemoryStore) -> Committer:
        """Find the hold on a store; one that records name is looked at when it is touched."""
        for committer in self._committers:
            if committer.store is store:
                return committer
        self._committers.append(MortalCommitter(self.driver, store, self))
        return self._committers[-1]


def _at(offset: int) -> Offsets:
    return {"t": {0: offset}}


def _group(offset: int) -> Ledger:
    return Ledger(
        connector="c", epoch=0, run="group", cluster_id="", topic_ids={}, start={}, end=_at(offset)
    )


def _counts(written: int) -> BatchCounts:
    return BatchCounts(written, 0, 0, first_dead=None, min_time=None, max_time=None)


ROUTES = st.lists(st.sets(st.integers(0, 2)), min_size=COUNT, max_size=COUNT)
# Which of the drivers alive acts (beyond them: a new one), the size of its batch, and after how
# many commits it is killed.
STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 15), st.sampled_from([0, 1, 2, 99, 99])),
    max_size=25,
)


def finish(start: Callable[[], Run]) -> None:
    run = start()
    while run.at < COUNT:
        run.batch(7)


def assert_exact(stores: list[MemoryStore], routes: list[set[int]]) -> None:
    for number, store in enumerate(stores):
        assert store.rows == [offset for offset in range(COUNT) if number in routes[offset]]
        assert all(one.end == other.start for one, other in pairwise(store.history))


@settings(max_examples=150)
@given(routes=ROUTES, steps=STEPS)
def test_listed_stores_are_exact_whatever_is_killed_or_overtaken(
    routes: list[set[int]], steps: list[tuple[int, int, int]]
) -> None:
    stores = [MemoryStore(name) for name in "abc"]
    alive: list[Run] = []
    epoch = 0
    for who, size, commits in steps:
        try:
            if who >= len(alive):
                epoch += 1
                alive.append(Run(epoch, stores, routes))
            elif not alive[who].batch(size, commits=commits):
                alive.pop(who)
        except (SupersededError, StreamMovedError):
            alive.pop(who)
    finish(lambda: Run(epoch + 1, stores, routes))
    assert_exact(stores, routes)


@settings(max_examples=150)
@given(routes=ROUTES, steps=STEPS, hints=st.lists(st.floats(0, 1), max_size=25))
def test_stores_that_records_name_are_exact_though_the_groups_offsets_are_lost(
    routes: list[set[int]], steps: list[tuple[int, int, int]], hints: list[float]
) -> None:
    stores = [MemoryStore(name) for name in "abc"]
    done = 0
    for number, (_, size, commits) in enumerate(steps):
        # What the group says may be old, or nothing.
        hint = int(done * hints[number]) if number < len(hints) else done
        run = Run(number + 1, stores, routes, group=hint)
        if run.batch(size, commits=commits):
            done = max(done, run.at)
    finish(lambda: Run(len(steps) + 1, stores, routes, group=0))
    assert_exact(stores, routes)


# Where a user wants to go on, after how many claims that is killed, and a batch with its kill.
REWINDS = st.lists(
    st.tuples(
        st.integers(0, COUNT),
        st.sampled_from([0, 1, 2, 99, 99]),
        st.integers(1, 15),
        st.sampled_from([0, 1, 2, 99, 99]),
    ),
    max_size=10,
)


@settings(max_examples=150)
@given(routes=ROUTES, rewinds=REWINDS)
def test_rewinds_that_undo_leave_each_record_once_whatever_is_killed(
    routes: list[set[int]], rewinds: list[tuple[int, int, int, int]]
) -> None:
    stores = [MemoryStore(name) for name in "abc"]
    run, wish, epoch = Run(1, stores, routes), None, 1
    for number, (offset, claims, size, commits) in enumerate(rewinds, start=1):
        epoch, is_alive = epoch + 1, run.batch(size, commits=commits)
        if is_alive and offset <= run.at:
            wish = Rewind(number=number, offsets=_at(offset), mode=Mode.ONCE)
        try:
            run = Run(epoch, stores, routes, rewind=wish, claims=claims)
        except KilledError:
            epoch += 1
            run = Run(epoch, stores, routes, rewind=wish)
    finish(lambda: Run(epoch + 1, stores, routes, rewind=wish))
    for number, store in enumerate(stores):
        assert sorted(store.rows) == [o for o in range(COUNT) if number in routes[o]]
        told = [ledger for _, ledger in standing(enumerate(store.history))]
        for one, other in pairwise(told):
            # No ledger knows of offsets that were for no store: to go on behind them leaves a gap.
            assert one.end == other.start or one.rewind < other.rewind
            assert covers(other.start, one.end)


class Forked:
    """A table with side branches; each driver has a view of its own of the one that it writes."""

    def __init__(self, name: str) -> None:
        self.main = MemoryStore(name)
        self.sides: dict[str, MemoryStore] = {}

    def open(self, rewind: Rewind | None, ends: list[None]) -> "View":
        branch = rewind.branch if rewind and rewind.ending is not Ending.DROP else None
        publishes = rewind is not None and rewind.ending is Ending.PUBLISH
        if publishes and branch not in self.sides:
            branch = None
        found = self.sides.get(branch or "", self.main)
        view = View(found.name, {**found.files}, [*found.history])
        view.table, view.branch, view.publishes, view.ends = self, branch, publishes, ends
        return view


class View(MemoryStore):
    """A driver is killed where nothing is left in `ends`."""

    table: Forked
    branch: str | None
    publishes: bool
    ends: list[None]

    def append(self, files: list[Any], ledger: Ledger, claim: Claim) -> Verdict:
        verdict = super().append(files, ledger, claim)
        if self.branch is None:
            self.table.main = self
        else:
            self.table.sides[self.branch] = self
        return verdict

    def end_sides(self, _epoch: int) -> None:
        if not self.ends:
            raise KilledError
        self.ends.pop()
        if self.publishes and self.branch is not None:
            self.table.main, self.branch = self, None
        kept = {self.branch: self.table.sides.get(self.branch or "")}
        self.table.sides = {name: side for name, side in kept.items() if name and side}


class User:
    """What one wants of side branches, as the API lets him: no rewind while one is open."""

    def __init__(self) -> None:
        self.wish: Rewind | None = None
        self.seen = 0

    @property
    def is_open(self) -> bool:
        return self.wish is not None and self.wish.side is not None

    def want(self, verb: Ending | None, offset: int) -> None:
        number = self.wish.newest + 1 if self.wish else 1
        if self.wish is not None and self.is_open:
            if verb is Ending.DROP or (verb is Ending.PUBLISH and self.seen >= self.wish.number):
                self.wish = self.wish.model_copy(update={"ending": verb, "ended": number})
        elif verb is None and (self.wish is None or self.seen >= self.wish.newest):
            self.wish = Rewind(
                number=number, offsets=_at(offset), mode=Mode.BRANCH, branch=f"b{number}"
            )


# What a user says, for which offset, after how many claims and ends a driver is killed, and then
# what it still does.
WORDS = st.lists(
    st.tuples(
        st.sampled_from([None, None, *Ending]),
        st.integers(0, COUNT),
        st.sampled_from([0, 1, 2, 99, 99]),
        st.sampled_from([0, 1, 2, 99, 99]),
        st.integers(1, 15),
        st.sampled_from([0, 1, 2, 99, 99]),
    ),
    max_size=12,
)


@settings(max_examples=150)
@given(routes=ROUTES, words=WORDS, last=st.sampled_from(Ending))
def test_side_branches_leave_each_record_once_whatever_is_killed_and_said(
    routes: list[set[int]], words: list[tuple[Any, int, int, int, int, int]], last: Ending
) -> None:
    tables, user, epoch = [Forked(name) for name in "abc"], User(), 0

    def start(claims: int = 99, ends: int = 99) -> Run:
        nonlocal epoch
        epoch += 1
        views: list[MemoryStore] = [one.open(user.wish, [None] * ends) for one in tables[:]]
        run = Run(epoch, views, routes, rewind=user.wish, claims=claims)
        user.seen = max(user.seen, user.wish.newest if user.wish else 0)
        return run

    run = start()
    for verb, offset, claims, ends, size, commits in words:
        before = [table.main.rows for table in tables]
        stands = user.is_open
        run.batch(size, commits=commits)
        assert not stands or [table.main.rows for table in tables] == before
        before = [table.main.rows for table in tables]
        user.want(verb, offset % (run.at + 1))
        try:
            run = start(claims, ends)
        except KilledError:
            run = start()
        published = user.wish is not None and user.wish.ending is Ending.PUBLISH
        assert published or [table.main.rows for table in tables] == before
    user.want(last, 0)
    finish(start)
    for number, table in enumerate(tables):
        assert sorted(table.main.rows) == [o for o in range(COUNT) if number in routes[o]]
        assert table.sides == {}


def rolled_back() -> list[MemoryStore]:
    """Two stores with three batches of five records each, of which the first has lost the last."""
    stores = [MemoryStore("a"), MemoryStore("b")]
    run = Run(1, stores, [{0, 1}] * COUNT)
    for _ in range(3):
        run.batch(5)
    stores[0].taken_back = stores[0].history.pop()
    del stores[0].files[len(stores[0].history)]
    return stores


def test_a_store_that_was_rolled_back_is_brought_up_again_and_no_other_repeats() -> None:
    stores = rolled_back()
    with pytest.raises(RolledBackError, match="`earliest`"):
        Run(2, stores, [{0, 1}] * COUNT)
    again = Run(3, stores, [{0, 1}] * COUNT, on_data_loss="earliest")
    assert again.at == 10
    again.batch(10)
    assert stores[0].rows == stores[1].rows == list(range(20))


def test_what_was_rolled_back_may_be_left_out() -> None:
    stores = rolled_back()
    again = Run(2, stores, [{0, 1}] * COUNT, on_data_loss="latest")
    again.batch(10)
    assert stores[0].rows == [*range(10), *range(15, 20)]
    assert stores[1].rows == list(range(20))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def filtered(number: int) -> BatchCounts:
    return replace(_counts(number), filtered=number)


def of(start: int, end: int) -> Batch:
    return Batch(BatchRange(_at(start), _at(end)), settled=_at(start))


def patient() -> tuple[MemoryStore, Committer, Clock]:
    """A store to which a ledger without rows has just been committed."""
    store, clock = MemoryStore("a"), Clock()
    driver = Run(1, [store], [set()] * COUNT).driver
    committer = Committer(driver, store, clock)
    assert committer.commit([], of(0, 5), filtered(5))
    return store, committer, clock


def test_ledgers_without_rows_wait_longer_each_time() -> None:
    store, committer, clock = patient()
    gaps = []
    for number in range(5, 14):
        began = clock.now
        assert not committer.commit([], of(number, number + 1), filtered(1))
        known = len(store.history)
        while len(store.history) == known:
            clock.now += 10
            committer.tell_if_due()
        gaps.append(clock.now - began)
    assert gaps == [10, 20, 40, 80, 160, 320, 600, 600, 600]


def test_a_table_never_takes_back_through_when_it_is_complete() -> None:
    store, committer, _ = patient()
    moments = [datetime(2026, 11, 19, hour, tzinfo=UTC) for hour in (10, 9)]
    for number, moment in enumerate([moments[0], moments[1], None], start=5):
        batch = replace(of(number, number + 1), valid_through=moment)
        assert committer.commit([number], batch, _counts(1))
    assert [one.valid_through for one in store.history[-3:]] == [moments[0]] * 3


def test_rows_take_the_waiting_ledger_along() -> None:
    store, committer, _ = patient()
    assert not committer.commit([], of(5, 9), filtered(4))
    assert committer.commit([10, 11], of(9, 12), _counts(3))
    newest = store.history[-1]
    assert (newest.start, newest.end) == (_at(5), _at(12))
    assert (newest.consumed, newest.filtered, newest.written) == (7, 4, 3)


def test_after_rows_a_ledger_without_them_does_not_wait() -> None:
    _, committer, _ = patient()
    committer.commit([5], of(5, 6), _counts(1))
    assert committer.commit([], of(6, 7), filtered(1))


def test_a_driver_that_takes_over_reads_again_what_was_not_told() -> None:
    store, committer, _ = patient()
    committer.commit([], of(5, 9), filtered(4))
    assert Run(2, [store], [set()] * COUNT).at == 5
