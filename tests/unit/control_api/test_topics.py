"""The topics of a connector: those in which its workers have moved since the last reset."""

from dataclasses import replace

import pytest
from tests.support.control_api import connector

from frazil.contracts.offsets import Offsets
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import ForbiddenError
from frazil.control_api.core.topics import Tracking, topics_of, track


def seen_at(before: Connector, position: Offsets) -> Connector:
    return replace(before, observed=track(before, position))


def test_topics_add_up_over_workers() -> None:
    found = seen_at(seen_at(connector(), {"b": {0: 1}}), {"a": {0: 0}})
    assert topics_of(found) == ("a", "b")


def test_a_reset_is_seen_at_once_and_lasts_until_the_worker_moves() -> None:
    found = seen_at(connector(), {"a": {0: 1}, "b": {0: 5}})
    found = replace(found, topics_reset=1)
    assert topics_of(found) == ()
    found = seen_at(found, {"a": {0: 1}, "b": {0: 5}})
    assert topics_of(seen_at(found, {"a": {0: 1}, "b": {0: 5}})) == ()
    assert topics_of(seen_at(found, {"a": {0: 2}, "b": {0: 5}})) == ("a",)


def test_a_new_worker_at_the_same_place_has_read_nothing_either() -> None:
    found = replace(seen_at(connector(), {"a": {0: 1}}), topics_reset=1)
    found = seen_at(seen_at(found, {"a": {0: 1}}), {})
    assert topics_of(seen_at(found, {"a": {0: 1}})) == ()


def test_tracking_may_be_off_and_so_may_resets() -> None:
    Tracking().require_reset()
    Tracking(reset=False).require_on()
    with pytest.raises(ForbiddenError, match=r"^Topic tracking is disabled\.$"):
        Tracking(on=False).require_reset()
    with pytest.raises(ForbiddenError, match=r"^Topic tracking reset is disabled\.$"):
        Tracking(reset=False).require_reset()
