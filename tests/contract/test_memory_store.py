"""The store that tests keep in memory does what the real one does."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.memory_store import MemoryStore

from frazil.contracts.offsets import Rewind
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.store.repository import Repository

Call = Callable[[MemoryStore | Repository, str], object]


def wish(target: Target, rewind: Rewind | None) -> Call:
    def call(store: MemoryStore | Repository, name: str) -> Connector:
        return store.change(name, lambda _old: Connector(name, {"a": "b"}, target, rewind=rewind))

    return call


def record(observed: Observed) -> Call:
    return lambda store, name: store.record(name, observed)


def remove(store: MemoryStore | Repository, name: str) -> bool:
    return store.remove(name)


rewinds = st.sampled_from([None, Rewind(number=1), Rewind(number=2, everything=True)])
calls = st.one_of(
    st.builds(wish, st.sampled_from(Target), rewinds),
    st.builds(record, st.builds(Observed, st.sampled_from(Phase), st.integers(0, 9))),
    st.just(remove),
)
prefixes = map(str, count())


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    repository = Repository(f"sqlite:///{tmp_path_factory.mktemp('store') / 'connectors.db'}")
    yield repository
    repository.close()


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from("ab"), calls), max_size=12))
def test_both_answer_the_same(repository: Repository, script: list[tuple[str, Call]]) -> None:
    memory, prefix = MemoryStore(), next(prefixes)
    before = repository.look("")[1]
    for letter, call in script:
        name = f"{prefix}-{letter}"
        assert call(memory, name) == call(repository, name)
        assert memory.get(name) == repository.get(name)
        connector, starting = repository.look(name)
        assert memory.look(name) == (connector, starting - before)
    mine = partial(filter, lambda one: one.name.startswith(f"{prefix}-"))
    assert memory.all() == list(mine(repository.all()))
