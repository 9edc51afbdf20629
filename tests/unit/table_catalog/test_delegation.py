"""How far somebody may reach with a table, and what STS is told of it."""

import json
from typing import Any

import pytest

from frazil.table_catalog.core.delegation import (
    Reach,
    asked_for,
    reach_beside,
    reach_of,
    session_policy,
)
from frazil.table_catalog.core.rights import Action, Grant, Principal

ROOT = "s3://lake/wh"


def reach(read: str, write: str, *places: str) -> Reach | None:
    grants = [Grant.parse(Action.READ, one) for one in read.split()]
    grants += [Grant.parse(Action.WRITE, one) for one in write.split()]
    who = Principal("who", tuple(grants))
    return reach_of(who, "wh", root=ROOT, places=[f"{ROOT}/{place}" for place in places])


def action(read: str, write: str, *places: str) -> Action | None:
    found = reach(read, write, *places)
    return found.action if found else None


def test_rights_to_the_namespace_are_rights_to_its_folder() -> None:
    assert action("wh/n", "", "n/t") is Action.READ
    assert action("", "wh/n", "n/t") is Action.WRITE
    assert action("", "wh/n", "n/m/t") is Action.WRITE
    assert action("", "wh", "t") is Action.WRITE
    assert action("", "other/n", "n/t") is None


def test_a_table_cannot_be_put_into_the_folder_of_others_to_reach_them() -> None:
    assert action("", "wh/mine", "others/t") is None
    assert action("", "wh/mine", "mine/t", "others/t") is None
    # A folder holds what is below it: that of a namespace is not for those of one below.
    assert action("", "wh/n.below", "n") is None
    assert action("", "wh/n.*", "n/t") is None


def test_a_slash_at_the_end_of_a_folder_is_nothing() -> None:
    assert reach("wh/n", "", "n/t/") == Reach(Action.READ, (f"{ROOT}/n/t",))


def test_the_least_right_of_all_folders_counts() -> None:
    assert action("wh/archive", "wh/n", "n/t", "archive/n/t") is Action.READ


@pytest.mark.parametrize("name", ["*", "t?", "$t"])
def test_a_name_that_policies_would_read_as_others_is_not_lent(name: str) -> None:
    assert action("", "wh", f"n/{name}") is None


def test_a_folder_outside_of_the_warehouse_is_not_lent() -> None:
    assert reach("", "wh", "../other") is None


@pytest.mark.parametrize(
    ("right", "place", "reached"),
    [
        ("wh/n", "n/t", f"{ROOT}/n"),
        ("wh/n.m", "n/m/t", f"{ROOT}/n/m"),
        # Not the whole warehouse.
        ("wh/t", "t", f"{ROOT}/t"),
        ("wh/other", "n/t", None),
    ],
)
def test_without_a_table_one_reaches_its_neighbours(
    right: str, place: str, reached: str | None
) -> None:
    who = Principal("who", (Grant.parse(Action.WRITE, right),))
    found = reach_beside(who, "wh", root=ROOT, place=f"{ROOT}/{place}")
    assert found == (reached and Reach(Action.WRITE, (reached,)))


def statements(reached: Reach) -> list[dict[str, Any]]:
    document: dict[str, Any] = json.loads(session_policy(reached))
    found: list[dict[str, Any]] = document["Statement"]
    return found


def test_a_reader_s_session_reads_and_lists_below_the_table() -> None:
    objects, lists = statements(Reach(Action.READ, ("s3://lake/wh/n/t",)))
    assert objects["Action"] == ["s3:GetObject"]
    assert objects["Resource"] == ["arn:aws:s3:::lake/wh/n/t/*"]
    assert lists["Resource"] == ["arn:aws:s3:::lake"]
    assert lists["Condition"] == {"StringLike": {"s3:prefix": ["wh/n/t/*"]}}


def test_a_writer_s_session_writes_and_deletes_there() -> None:
    objects, _ = statements(Reach(Action.WRITE, ("s3://lake/wh/n/t", "s3a://lake/wh/n/u")))
    assert {"s3:PutObject", "s3:DeleteObject"} < set(objects["Action"])
    assert objects["Resource"] == ["arn:aws:s3:::lake/wh/n/t/*", "arn:aws:s3:::lake/wh/n/u/*"]


def test_what_is_asked_for_is_a_list_with_commas() -> None:
    assert asked_for("vended-credentials, remote-signing") >= {
        "vended-credentials",
        "remote-signing",
    }
    assert not asked_for(None) & {"vended-credentials", "remote-signing"}
