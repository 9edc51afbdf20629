"""What a driver needs for those who share it, and who may take one that waits."""

import pytest
from tests.support.control_api import assignment, sink_config

from frazil.contracts.hosting import Hosting
from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.resources import (
    driver_for,
    fits_waiting,
    group_of,
    is_enough,
    waiting_driver,
)

GROUP = {"frazil.worker.group": "small"}


def test_a_driver_has_the_most_that_any_of_its_connectors_wants() -> None:
    small, wide = sink_config(), sink_config(**{"tasks.max": "3"})
    large = sink_config(**{"frazil.driver.memory": "1g"})
    assert driver_for("g", [small]) == Hosting(group="g", memory="512m", cores=1)
    assert driver_for("g", [small, wide, large]) == Hosting(group="g", memory="1g", cores=3)


def test_what_validation_refuses_is_no_driver() -> None:
    with pytest.raises(EngineError, match=r"frazil\.driver\.memory"):
        driver_for("g", [sink_config(**{"frazil.driver.memory": "much"})])


@pytest.mark.parametrize(
    ("there", "enough"),
    [
        (Hosting(memory="1g", cores=2), True),
        (Hosting(memory="1024m", cores=3), True),
        (Hosting(memory="1000m", cores=2), False),
        (Hosting(memory="2g", cores=1), False),
    ],
)
def test_a_driver_is_enough_if_it_lacks_neither_memory_nor_cores(
    there: Hosting, enough: bool
) -> None:
    assert is_enough(there, Hosting(memory="1g", cores=2)) is enough


def test_a_preview_is_of_no_group() -> None:
    told = assignment("logs", 1, **GROUP)
    assert group_of(told) == "small"
    assert group_of(told.model_copy(update={"preview": 10})) is None
    assert group_of(assignment("logs", 1)) is None


@pytest.mark.parametrize(
    ("keys", "kind", "fits"),
    [
        ({}, "spark-sink", True),
        ({"frazil.driver.memory": waiting_driver().memory}, "spark-sink", True),
        ({"frazil.driver.memory": "1g"}, "spark-sink", False),
        (GROUP, "spark-sink", False),
        ({}, "spark-source", False),
    ],
)
def test_who_may_take_a_driver_that_waits(keys: dict[str, str], kind: str, fits: bool) -> None:
    assert fits_waiting(assignment("logs", 1, **keys), kind) is fits
