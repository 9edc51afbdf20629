"""One suite for every store of connectors."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.errors import StoreError
from frazil.control_api.core.ports import ConnectorStore
from frazil.control_api.store.repository import Repository

LOGS = Connector("logs", {"b": "1.50", "a": " ü "}, Target.PAUSED, 3)
SEEN = Observed(Phase.WAITING, 7, 3, 1.5, 2, 2.5, "a\nb", ("x", "y"))


def as_new(connector: Connector) -> Connector:
    return replace(connector, observed=Observed())


@pytest.fixture(params=["sqlite"])
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'made' / 'by itself' / 'connectors.db'}"


@pytest.fixture
def store(url: str) -> Iterator[ConnectorStore]:
    repository = Repository(url)
    yield repository
    repository.close()


def put(store: ConnectorStore, connector: Connector) -> None:
    store.change(connector.name, lambda _old: connector)


def test_an_empty_store_knows_nobody(store: ConnectorStore) -> None:
    assert store.all() == []
    assert store.get("logs") is None
    assert store.starting() == set()
    assert store.remove("logs")


def test_a_connector_comes_back_as_it_was_stored(store: ConnectorStore) -> None:
    put(store, LOGS)
    assert store.get("logs") == LOGS
    assert list(store.all()[0].config) == ["b", "a"]


@pytest.mark.parametrize("name", ["a/b", " x ", "ünï", "'; DROP TABLE connector; --", "🧊"])
def test_any_name_can_be_stored(store: ConnectorStore, name: str) -> None:
    put(store, replace(LOGS, name=name))
    assert [connector.name for connector in store.all()] == [name]
    assert store.get(name) == replace(LOGS, name=name)


def test_all_are_listed_in_the_order_of_names_the_deleted_ones_too(store: ConnectorStore) -> None:
    for name in ("b", "c", "a"):
        put(store, replace(LOGS, name=name, target=Target.DELETED))
    assert [connector.name for connector in store.all()] == ["a", "b", "c"]


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

    def grow(old: Connector | None) -> Connector:
        assert old is not None
        return replace(old, generation=old.generation + 1)

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


def test_those_that_start_are_found(store: ConnectorStore) -> None:
    store.record("a", replace(SEEN, phase=Phase.STARTING))
    store.record("b", SEEN)
    assert store.starting() == {"a"}


def test_only_a_deleted_connector_is_forgotten(store: ConnectorStore) -> None:
    put(store, LOGS)
    store.record("logs", SEEN)
    assert not store.remove("logs")
    assert store.get("logs") == replace(LOGS, observed=SEEN)
    put(store, replace(LOGS, target=Target.DELETED))
    assert store.remove("logs")
    assert store.get("logs") is None
    put(store, LOGS)
    assert store.get("logs") == as_new(LOGS)


def test_what_is_stored_outlives_the_process(store: ConnectorStore, url: str) -> None:
    put(store, LOGS)
    store.record("logs", SEEN)
    successor = Repository(url)
    assert successor.get("logs") == replace(LOGS, observed=SEEN)
    successor.close()


@pytest.mark.parametrize("bad", ["nonsense", "sqlite:////dev/null/x/connectors.db"])
def test_a_store_that_cannot_be_opened_says_so(bad: str) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        Repository(bad)
