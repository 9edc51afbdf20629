"""One suite for every store of connectors."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.postgresql import PostgreSQL

from frazil.contracts.offsets import Rewind
from frazil.contracts.redrive import Pick, Redrive
from frazil.contracts.schema_change import ChangeKind, SchemaChange, SchemaRules, SchemaUndo
from frazil.contracts.states import ConnectState, Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.errors import StoreError
from frazil.control_api.core.ports import ConnectorStore
from frazil.control_api.core.states import public_state
from frazil.control_api.store.repository import Repository

# The first one waits until there is a PostgreSQL.
pytestmark = pytest.mark.timeout(60)

LOGS = Connector("logs", {"b": "1.50", "a": " ü "}, Target.PAUSED, 3)
SEEN = Observed(
    phase=Phase.WAITING,
    epoch=5_000_000_000,
    generation=3,
    since=1.5,
    failures=2,
    retry_at=2.5,
    trace="a\nb",
    topics=("x", "y"),
    topics_reset=1,
    topics_base={"x": {0: 1}},
    rewind=5_000_000_001,
    failing_since=3.5,
)
RUNNING = Observed(Phase.RUNNING)
REWIND = Rewind(number=5_000_000_001, offsets={"x": {0: 7}}, fresh={"x": [1]}, everything=True)


def as_new(connector: Connector) -> Connector:
    return replace(connector, observed=Observed())


@pytest.fixture
def store(url: str) -> Iterator[ConnectorStore]:
    repository = Repository(url, lambda: 12.5)
    yield repository
    repository.close()


def put(store: ConnectorStore, connector: Connector) -> None:
    store.change(connector.name, lambda _old: connector)


def delete(store: ConnectorStore, connector: Connector) -> None:
    put(store, replace(connector, target=Target.DELETED))
    assert store.remove(connector.name)


def grow(old: Connector | None) -> Connector:
    assert old is not None
    return replace(old, generation=old.generation + 1)


def test_an_empty_store_knows_nobody(store: ConnectorStore) -> None:
    assert store.all() == []
    assert store.get("logs") is None
    assert store.look("logs") == (Connector("logs", {}, Target.DELETED), 0)
    assert store.remove("logs")


def test_a_connector_comes_back_as_it_was_stored(store: ConnectorStore) -> None:
    put(store, LOGS)
    assert store.get("logs") == LOGS
    assert list(store.all()[0].config) == ["b", "a"]


def test_a_connector_is_returned_as_it_was_stored(store: ConnectorStore) -> None:
    store.record("logs", SEEN)
    assert store.change("logs", lambda _old: LOGS) == replace(LOGS, observed=SEEN)


@pytest.mark.parametrize("name", ["a/b", " x ", "ünï", "'; DROP TABLE connector; --", "🧊"])
def test_any_name_can_be_stored(store: ConnectorStore, name: str) -> None:
    put(store, replace(LOGS, name=name))
    assert [connector.name for connector in store.all()] == [name]
    assert store.get(name) == replace(LOGS, name=name)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800"])
def test_a_name_that_no_database_can_hold_is_not_found_and_not_an_error(
    store: ConnectorStore, name: str
) -> None:
    assert store.get(name) is None
    assert store.state_changes(name=name) == []


def test_a_trace_may_hold_anything(store: ConnectorStore) -> None:
    put(store, LOGS)
    store.record("logs", replace(SEEN, trace="a\0b\ud800"))
    found = store.get("logs")
    assert found is not None
    assert found.observed.trace == "a\ufffdb?"


def test_all_are_listed_in_the_order_of_names_the_deleted_ones_too(store: ConnectorStore) -> None:
    for name in ("b", "C", "ä", "a-c", "ab"):
        put(store, replace(LOGS, name=name, target=Target.DELETED))
    assert [connector.name for connector in store.all()] == ["C", "a-c", "ab", "b", "ä"]


def test_those_that_are_not_deleted_are_counted(store: ConnectorStore) -> None:
    assert store.count() == 0
    put(store, LOGS)
    put(store, replace(LOGS, name="other", target=Target.DELETED))
    assert store.count() == 1


def test_wishes_and_observations_do_not_overwrite_each_other(store: ConnectorStore) -> None:
    put(store, LOGS)
    store.record("logs", SEEN)
    put(store, replace(LOGS, target=Target.RUNNING))
    assert store.get("logs") == replace(LOGS, target=Target.RUNNING, observed=SEEN)
    assert store.all() == [replace(LOGS, target=Target.RUNNING, observed=SEEN)]


def test_a_change_that_raises_changes_nothing(store: ConnectorStore) -> None:
    put(store, LOGS)

    def refuse(_old: Connector | None) -> Connector:
        raise LookupError

    with pytest.raises(LookupError):
        store.change("logs", refuse)
    assert store.get("logs") == LOGS


def test_changes_at_the_same_time_come_one_after_another(store: ConnectorStore) -> None:
    put(store, LOGS)
    together = threading.Barrier(4)

    def work() -> None:
        together.wait()
        for _ in range(10):
            store.change("logs", grow)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(4)]:
            done.result()
    found = store.get("logs")
    assert found is not None
    assert found.generation == LOGS.generation + 40


def test_of_several_who_create_at_once_one_wins(store: ConnectorStore) -> None:
    together = threading.Barrier(4)

    def create(old: Connector | None) -> Connector:
        if old is not None:
            raise FileExistsError
        return LOGS

    def work() -> bool:
        together.wait()
        try:
            store.change("logs", create)
        except FileExistsError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        won = [done.result() for done in [pool.submit(work) for _ in range(4)]]
    assert sorted(won) == [False, False, False, True]
    assert len(store.configs("logs")) == 1


def test_changes_by_two_processes_come_one_after_another(store: ConnectorStore, url: str) -> None:
    put(store, LOGS)
    program = (
        "import sys; from dataclasses import replace\n"
        "from frazil.control_api.store.repository import Repository\n"
        "store = Repository(sys.argv[1])\n"
        "for _ in range(25):\n"
        "    store.change('logs', lambda old: replace(old, generation=old.generation + 1))\n"
    )
    command = [sys.executable, "-c", program, url]
    others = [subprocess.Popen(command) for _ in range(2)]
    assert [other.wait(15) for other in others] == [0, 0]
    found = store.get("logs")
    assert found is not None
    assert found.generation == LOGS.generation + 50


def test_the_others_that_start_are_counted(store: ConnectorStore) -> None:
    store.record("a", replace(SEEN, phase=Phase.STARTING))
    store.record("b", SEEN)
    assert [store.look(name)[1] for name in ("a", "b", "c")] == [0, 1, 1]


def test_only_a_deleted_connector_is_forgotten(store: ConnectorStore) -> None:
    put(store, LOGS)
    store.record("logs", SEEN)
    assert not store.remove("logs")
    assert store.get("logs") == replace(LOGS, observed=SEEN)
    put(store, replace(LOGS, target=Target.DELETED))
    assert store.remove("logs")
    assert store.get("logs") is None
    put(store, LOGS)
    assert store.get("logs") == replace(
        LOGS, observed=Observed(epoch=SEEN.epoch, rewind=SEEN.rewind)
    )


def test_what_was_recorded_of_a_connector_that_is_not_stored_is_seen_again(
    store: ConnectorStore,
) -> None:
    store.record("logs", SEEN)
    assert store.get("logs") is None
    assert store.all() == []
    assert store.look("logs")[0] == Connector("logs", {}, Target.DELETED, observed=SEEN)


def test_what_is_stored_outlives_the_process(store: ConnectorStore, url: str) -> None:
    put(store, LOGS)
    store.record("logs", SEEN)
    successor = Repository(url)
    assert successor.get("logs") == replace(LOGS, observed=SEEN)
    successor.close()


def test_all_processes_on_a_database_have_one_key(url: str, tmp_path: Path) -> None:
    one, other, elsewhere = Repository(url), Repository(url), Repository(f"sqlite:///{tmp_path}/b")
    assert one.installation_key() == other.installation_key()
    assert one.installation_key() != elsewhere.installation_key()
    for repository in (one, other, elsewhere):
        repository.close()


def test_orders_for_workers_live_with_the_connector(store: ConnectorStore) -> None:
    pick = Pick(before=datetime(2026, 11, 19, 12, 0, 0, 5, UTC), reason="row")
    redrive = Redrive(number=5_000_000_002, picks=(pick,))
    added = SchemaChange(kind=ChangeKind.ADD, path="a.b", type="string")
    undo = SchemaUndo(before=3, after=2)
    rules = {"ns.a": SchemaRules(approved=(added,), refused=("c",), undo=undo)}
    paused = ("ns.a", "ns.b")
    steered = replace(LOGS, redrive=redrive, paused_tables=paused, schema_rules=rules)
    put(store, steered)
    assert store.get("logs") == as_new(steered)
    delete(store, steered)
    put(store, LOGS)
    assert store.get("logs") == as_new(LOGS)


def test_a_last_rewind_outlives_its_connector(store: ConnectorStore) -> None:
    put(store, replace(LOGS, rewind=REWIND))
    delete(store, LOGS)
    assert store.change("logs", lambda _old: LOGS).rewind == REWIND
    assert store.get("logs") == replace(LOGS, rewind=REWIND)
    assert store.all() == [replace(LOGS, rewind=REWIND)]


def test_whoever_asks_learns_once_of_what_was_wanted_since(store: ConnectorStore) -> None:
    put(store, LOGS)
    put(store, replace(LOGS, name="more"))
    names, revision = store.changed(0)
    assert set(names) == {"logs", "more"}
    store.record("more", SEEN)
    assert store.changed(revision) == ([], revision)
    store.change("logs", grow)
    names, newest = store.changed(revision)
    assert names == ["logs"]
    delete(store, LOGS)
    put(store, LOGS)
    assert store.changed(newest)[0] == ["logs"]


class TestConfigs:
    def test_each_configuration_is_a_version_and_so_is_the_end(self, store: ConnectorStore) -> None:
        put(store, LOGS)
        put(store, replace(LOGS, config={"b": "2"}))
        delete(store, LOGS)
        put(store, replace(LOGS, config={"b": "2"}))
        found = [(version.version, version.at, version.config) for version in store.configs("logs")]
        assert found == [
            (4, 12.5, {"b": "2"}),
            (3, 12.5, None),
            (2, 12.5, {"b": "2"}),
            (1, 12.5, LOGS.config),
        ]

    def test_what_leaves_the_configuration_alone_makes_no_version(
        self, store: ConnectorStore
    ) -> None:
        put(store, LOGS)
        store.change("logs", grow)
        put(store, replace(LOGS, target=Target.STOPPED))
        store.record("logs", SEEN)
        assert [version.version for version in store.configs("logs")] == [1]

    def test_the_last_hundred_are_kept(self, store: ConnectorStore) -> None:
        put(store, replace(LOGS, name="other"))
        for number in range(102):
            put(store, replace(LOGS, config={"n": str(number)}))
        versions = [version.version for version in store.configs("logs")]
        assert versions == list(range(102, 2, -1))
        assert len(store.configs("other")) == 1

    def test_those_that_are_kept_have_a_size_and_the_newest_is_kept_anyway(
        self, store: ConnectorStore
    ) -> None:
        put(store, replace(LOGS, name="other"))
        mebibyte = 1024 * 1024
        for number in range(6):
            put(store, replace(LOGS, config={"n": str(number) + "x" * (mebibyte - 100)}))
        assert [version.version for version in store.configs("logs")] == [6, 5, 4, 3]
        delete(store, LOGS)
        assert [version.version for version in store.configs("logs")] == [7, 6, 5, 4, 3]
        put(store, replace(LOGS, config={"n": "x" * 5 * mebibyte}))
        assert [version.version for version in store.configs("logs")] == [8]
        assert len(store.configs("other")) == 1


class TestStateChanges:
    def test_each_public_state_is_written_down_whoever_caused_it(
        self, store: ConnectorStore
    ) -> None:
        put(store, replace(LOGS, target=Target.RUNNING))
        store.record("logs", RUNNING)
        store.record("logs", SEEN)
        delete(store, LOGS)
        waiting = public_state(replace(LOGS, target=Target.RUNNING, observed=SEEN))
        assert waiting.task is ConnectState.FAILED
        found = [
            (change.name, change.at, change.state, change.task, change.reason)
            for change in store.state_changes()
        ]
        assert found == [
            ("logs", 12.5, ConnectState.UNASSIGNED, ConnectState.UNASSIGNED, None),
            ("logs", 12.5, ConnectState.RUNNING, ConnectState.RUNNING, None),
            ("logs", 12.5, waiting.connector, waiting.task, "a"),
            ("logs", 12.5, None, None, "a"),
        ]

    def test_what_nobody_sees_is_no_change(self, store: ConnectorStore) -> None:
        put(store, replace(LOGS, target=Target.RUNNING))
        store.change("logs", grow)
        store.record("logs", Observed(Phase.STARTING))
        store.record("gone", RUNNING)
        assert len(store.state_changes()) == 1

    def test_they_are_read_on_from_an_id_by_name_and_by_page(self, store: ConnectorStore) -> None:
        for name in ("a", "b"):
            put(store, replace(LOGS, name=name, target=Target.RUNNING))
            store.record(name, RUNNING)
        ids = [change.id for change in store.state_changes()]
        assert ids == sorted(set(ids))
        assert store.last_state_change() == ids[-1]
        assert [change.id for change in store.state_changes(after=ids[1])] == ids[2:]
        assert [change.id for change in store.state_changes(limit=3)] == ids[:3]
        assert [change.id for change in store.state_changes(name="b")] == ids[2:]
        assert [change.id for change in store.newest_state_changes("a", 1)] == [ids[1]]

    def test_the_last_hundred_of_a_name_are_kept(self, store: ConnectorStore) -> None:
        put(store, replace(LOGS, name="other"))
        for number in range(102):
            target = Target.STOPPED if number % 2 else Target.RUNNING
            put(store, replace(LOGS, target=target))
        ids = [change.id for change in store.newest_state_changes("logs", 200)]
        assert len(ids) == 100
        assert ids[0] == store.last_state_change()
        assert len(store.state_changes(name="other")) == 1


@pytest.mark.parametrize(
    "bad",
    [
        "nonsense",
        "mysql://frazil:hunter2@127.0.0.1/frazil",
        "sqlite:////dev/null/x/connectors.db",
        "postgresql://frazil:hunter2@127.0.0.1:1/frazil?sslkey=hunter2",
    ],
)
def test_a_store_that_cannot_be_opened_says_so_and_keeps_the_password(bad: str) -> None:
    with pytest.raises(StoreError, match="cannot be opened") as caught:
        Repository(bad)
    assert "hunter2" not in str(caught.value)


def test_a_statement_that_fails_does_not_show_its_values(postgresql: PostgreSQL) -> None:
    url = postgresql.new_database()
    store = Repository(url)
    too_large = replace(LOGS, generation=2**40, config={"password": "hunter2"})
    with pytest.raises(Exception, match="out of range") as caught:
        put(store, too_large)
    store.close()
    assert "hunter2" not in str(caught.value)


def test_a_database_that_is_away_is_a_sentence_until_it_is_back(postgresql: PostgreSQL) -> None:
    url = postgresql.new_database()
    store = Repository(url)
    put(store, LOGS)
    with postgresql.away(url):
        with pytest.raises(StoreError, match="The database does not answer"):
            store.get("logs")
        with pytest.raises(StoreError, match="The database does not answer"):
            put(store, LOGS)
    assert store.get("logs") == LOGS
    store.close()
