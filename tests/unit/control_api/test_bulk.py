"""One wish for many connectors: what came of it is told for each."""

import pytest
from tests.support.control_api import sink_config

from frazil.contracts.states import Target
from frazil.control_api.core.bulk import Outcome, aim_all, restart_all
from frazil.control_api.core.connector import Observed, Phase
from frazil.control_api.core.service import ConnectorService, Submission
from frazil.control_api.store.repository import Repository


@pytest.fixture(autouse=True)
def _made(service: ConnectorService) -> None:
    for name in "abc":
        service.create(Submission(name, sink_config()))


def test_each_is_asked_and_those_already_there_or_gone_are_told(
    service: ConnectorService, notified: list[str]
) -> None:
    service.set_target("b", Target.PAUSED)
    listed = service.all()
    service.delete("c")
    notified.clear()
    outcomes = aim_all(service, listed, Target.PAUSED)
    assert outcomes == {"a": Outcome.DONE, "b": Outcome.UNCHANGED, "c": Outcome.GONE}
    assert service.get("a").target is Target.PAUSED
    assert notified == ["a"]


def test_a_restart_of_what_failed_leaves_the_others_alone(
    service: ConnectorService, store: Repository
) -> None:
    store.record("a", Observed(Phase.FAILED))
    store.record("b", Observed(Phase.RUNNING))
    assert restart_all(service, service.all()[:2], only_failed=True) == {
        "a": Outcome.DONE,
        "b": Outcome.UNCHANGED,
    }
    assert restart_all(service, service.all()[1:2], only_failed=False) == {"b": Outcome.DONE}
