"""What it takes to move a connector, from how it stands with it at both servers."""

from dataclasses import replace
from typing import Any

import pytest

from frazil.cli.moving.iceberg import UnevenTablesError, group_of, reached
from frazil.cli.moving.plan import (
    MOVING,
    Carrying,
    Place,
    Plan,
    Servers,
    Step,
    cells,
    plan,
    position,
)
from frazil.contracts.plugins.takeover_keys import TAKEOVER_GROUP
from frazil.contracts.states import ConnectState

APACHE = "org.apache.iceberg.connect.IcebergSinkConnector"
TABULAR = "io.tabular.iceberg.connect.IcebergSinkConnector"
RUNNING, PAUSED, STOPPED = ConnectState.RUNNING, ConnectState.PAUSED, ConnectState.STOPPED
CONNECT, FRAZIL = frozenset({"topics"}), frozenset({"topics", TAKEOVER_GROUP})
WHOLE = (Step.CREATE, Step.STOP, Step.OFFSETS, Step.START, Step.UNMARK)


def place(
    state: ConnectState = RUNNING, *, tasks: int | None = None, kind: str = "sink", **config: str
) -> Place:
    keys = {"connector.class": "FileStreamSink", "topics": "t", "iceberg.tables": "ns.t"}
    number = tasks if tasks is not None else int(state is not STOPPED)
    return Place(keys | _dotted(config), kind, state, number)


def _dotted(config: dict[str, str]) -> dict[str, str]:
    return {key.replace("_", "."): text for key, text in config.items()}


def moved(old: Place, new: Place | None = None, **servers: Any) -> Plan:
    found = {"old_keys": CONNECT, "new_keys": FRAZIL, **servers}
    return plan("c", old, new, Servers(**found))


def marked(found: Place, state: ConnectState) -> Place:
    return replace(found, config={**found.config, MOVING: state})


@pytest.mark.parametrize(
    ("state", "wish"),
    [
        (RUNNING, RUNNING),
        (PAUSED, PAUSED),
        (STOPPED, STOPPED),
        (ConnectState.FAILED, RUNNING),
        (ConnectState.UNASSIGNED, RUNNING),
    ],
)
def test_it_gets_the_state_that_was_wanted_of_it(state: ConnectState, wish: ConnectState) -> None:
    assert moved(place(state, tasks=1)).state is wish


def test_a_new_one_is_created_before_the_old_one_is_touched() -> None:
    assert moved(place()).steps == WHOLE
    assert moved(place(STOPPED)).steps == (Step.CREATE, *WHOLE[2:])
    assert moved(place(STOPPED, tasks=1)).steps == WHOLE


@pytest.mark.parametrize(
    ("old", "new", "steps"),
    [
        (place(RUNNING), marked(place(STOPPED), RUNNING), WHOLE[1:]),
        (place(STOPPED, tasks=1), marked(place(STOPPED), RUNNING), WHOLE[1:]),
        (place(STOPPED), marked(place(STOPPED), RUNNING), WHOLE[2:]),
        (place(STOPPED), marked(place(RUNNING), RUNNING), WHOLE[4:]),
        (place(STOPPED), place(RUNNING), ()),
    ],
    ids=["created", "stopping", "stopped", "started", "done"],
)
def test_whatever_was_done_is_not_done_again(
    old: Place, new: Place, steps: tuple[Step, ...]
) -> None:
    found = moved(old, new)
    assert (found.steps, found.problems) == (steps, ())
    assert found.state is RUNNING or not steps


def test_one_that_is_there_and_stopped_is_used_on_the_way_back() -> None:
    found = moved(place(frazil_takeover_group="connect-c"), place(STOPPED))
    assert (found.steps, found.problems) == ((Step.MARK, *WHOLE[1:]), ())


@pytest.mark.parametrize(
    ("old", "new", "servers", "problem"),
    [
        (place(), None, {"new_keys": None}, "no class"),
        (place(api_key="[hidden]"), None, {}, "api.key came hidden"),
        (place(api_key="*******"), None, {}, "api.key came hidden"),
        (place(), None, {"same_kafka": False}, "different Kafka clusters"),
        (place(), place(RUNNING), {}, "runs at both"),
        (place(), place(STOPPED, topics="other"), {}, "another connector of this name"),
        (place(connector_class=APACHE, iceberg_tables=""), None, {}, "name their tables"),
        (
            place(connector_class=TABULAR),
            None,
            {"old_keys": FRAZIL, "new_keys": CONNECT},
            "Tabular's sink begins",
        ),
    ],
)
def test_what_is_in_the_way_is_said(
    old: Place, new: Place | None, servers: dict[str, Any], problem: str
) -> None:
    (found,) = moved(old, new, **servers).problems
    assert problem in found
    assert cells(moved(old, new, **servers))[-1] == "not moved: see below"


def test_what_was_moved_is_no_problem_any_more() -> None:
    assert not moved(place(STOPPED, api_key="***"), place(RUNNING)).problems
    assert not moved(place(topics_regex="*")).problems


def test_sources_may_move_between_kafka_clusters() -> None:
    assert not moved(place(kind="source"), same_kafka=False).problems


@pytest.mark.parametrize(
    ("old_keys", "new_keys", "carrying"),
    [
        (CONNECT, FRAZIL, Carrying.GROUP),
        (FRAZIL, CONNECT, Carrying.FRONTIER),
        (FRAZIL, FRAZIL, Carrying.TABLES),
        (CONNECT, CONNECT, Carrying.OFFSETS),
    ],
)
def test_an_iceberg_sink_goes_on_where_its_tables_are(
    old_keys: frozenset[str], new_keys: frozenset[str], carrying: Carrying
) -> None:
    found = moved(place(connector_class=APACHE), old_keys=old_keys, new_keys=new_keys)
    assert found.carrying is carrying
    assert (Step.OFFSETS in found.steps) == (new_keys is CONNECT)
    assert (TAKEOVER_GROUP in found.config) == (carrying is Carrying.GROUP)


def test_other_connectors_take_their_offsets_along() -> None:
    found = moved(place(connector_class="FileStreamSink"))
    assert found.carrying is Carrying.OFFSETS
    assert TAKEOVER_GROUP not in found.config


@pytest.mark.parametrize(
    ("config", "group"),
    [
        ({"connector.class": APACHE}, "connect-c"),
        ({"connector.class": APACHE, "iceberg.connect.group-id": "g"}, "g"),
        ({"connector.class": TABULAR}, "cg-control-c"),
        ({"connector.class": TABULAR, "iceberg.control.group-id": "g"}, "g"),
    ],
)
def test_each_generation_has_its_group(config: dict[str, str], group: str) -> None:
    assert group_of("c", config) == group


def ledger(end: int) -> dict[str, Any]:
    return {"end": {"t": {"0": end}}}


def test_tables_that_are_further_than_the_group_count() -> None:
    group = {"t": {0: 5, 1: 2}}
    assert reached(group, {"a": ledger(7), "b": ledger(7)}) == {"t": {0: 7, 1: 2}}
    # A ledger waits for rows if all was filtered out, and the group does not.
    assert reached(group, {"a": ledger(3), "b": ledger(5)}) == group
    assert reached(group, {"a": None}) == group


@pytest.mark.parametrize("other", [ledger(6), None])
def test_tables_that_are_not_even_have_no_offset_in_common(other: dict[str, Any] | None) -> None:
    with pytest.raises(UnevenTablesError):
        reached({"t": {0: 5}}, {"a": ledger(7), "b": other})


def test_a_position_is_told_in_short() -> None:
    entries = [
        {"partition": {"kafka_topic": "t", "kafka_partition": p}, "offset": {"kafka_offset": 7}}
        for p in range(6)
    ]
    assert position(entries[:2]) == "t 0: 7, t 1: 7"
    assert position(entries).endswith("t 3: 7 and 2 more")
    assert position([{"partition": {"filename": "in.txt"}, "offset": None}]) == "in.txt: "
