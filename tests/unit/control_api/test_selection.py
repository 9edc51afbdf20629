"""Which connectors a caller means: filters and pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.control_api import SINK_CLASS, sink_config

from frazil.contracts.states import ConnectState, Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.selection import Filters, Page, select

LAKE = Connector("lake", sink_config(**{"frazil.label.team": "lake", "frazil.label.tier": "1"}))
ERRORS = Connector(
    "Errors",
    sink_config(**{"frazil.label.team": "ops"}),
    observed=Observed(Phase.FAILED, failures=5),
)
OLD = Connector("old", {"connector.class": "gone.Sink"}, Target.STOPPED)
ALL = [LAKE, ERRORS, OLD]


def names(filters: Filters) -> set[str]:
    return {one.name for one in select(ALL, filters, limit=None, after=None).connectors}


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(), {"lake", "Errors", "old"}),
        (Filters(states=frozenset({ConnectState.FAILED})), {"Errors"}),
        (Filters(states=frozenset({ConnectState.FAILED, ConnectState.STOPPED})), {"Errors", "old"}),
        (Filters(type="sink"), {"lake", "Errors"}),
        (Filters(type="source"), set()),
        (Filters(class_name=SINK_CLASS), {"lake", "Errors"}),
        (Filters(class_name="IcebergSink"), {"lake", "Errors"}),
        (Filters(class_name="gone.Sink"), {"old"}),
        (Filters(labels={"team": "lake"}), {"lake"}),
        (Filters(labels={"team": None}), {"lake", "Errors"}),
        (Filters(labels={"team": "lake", "tier": "2"}), set()),
        (Filters(search="E"), {"lake", "Errors"}),
        (Filters(search="E", labels={"team": "ops"}), {"Errors"}),
    ],
)
def test_a_connector_is_meant_if_it_passes_all_filters(filters: Filters, found: set[str]) -> None:
    assert names(filters) == found
    assert filters.given is (filters != Filters())


@given(st.sets(st.text(min_size=1), max_size=12), st.integers(1, 5))
def test_pages_together_are_the_whole_once_and_in_order(found: set[str], limit: int) -> None:
    connectors = [Connector(name, {}) for name in found]
    listed: list[str] = []
    page = Page((), 0, "")
    while page.next_after is not None:
        page = select(connectors, Filters(), limit=limit, after=page.next_after or None)
        assert page.total == len(found)
        listed += [connector.name for connector in page.connectors]
    assert listed == sorted(found)


def test_a_page_of_nothing_has_no_next() -> None:
    assert select(ALL, Filters(), limit=0, after=None) == Page((), 3, None)
