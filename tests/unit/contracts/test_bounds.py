"""What one connector may take of a machine."""

import pytest
from tests.support.sink_configs import VALID

from frazil.contracts.plugins import Bounds, enabled_plugins, find_plugin
from frazil.contracts.plugins.bounds import in_bytes

PLUGIN = find_plugin("IcebergSink", enabled_plugins(files=False, bounds=Bounds("2g", 8)))


def complaints(**config: str) -> list[str]:
    infos = PLUGIN.validate(VALID | config)
    return [error for info in infos.configs for error in info.value.errors]


@pytest.mark.parametrize("memory", ["512m", "2g", "2048m"])
def test_what_is_within_the_bounds_is_taken(memory: str) -> None:
    assert complaints(**{"tasks.max": "8", "frazil.driver.memory": memory}) == []


@pytest.mark.parametrize("memory", ["3g", "2049m", "99999999999g"])
def test_more_memory_than_the_operator_allows_is_refused(memory: str) -> None:
    assert complaints(**{"frazil.driver.memory": memory}) == [
        f"Invalid value {memory} for configuration frazil.driver.memory: Value must be no more "
        "than 2g, which the operator sets by FRAZIL_MAX_DRIVER_MEMORY"
    ]


def test_more_tasks_than_the_operator_allows_are_refused() -> None:
    assert complaints(**{"tasks.max": "9"}) == [
        "Invalid value 9 for configuration tasks.max: Value must be no more than 8, which the "
        "operator sets by FRAZIL_MAX_TASKS"
    ]


@pytest.mark.parametrize("memory", ["much", "", "0g", "1t"])
def test_what_is_no_size_is_complained_of_once(memory: str) -> None:
    assert len(complaints(**{"frazil.driver.memory": memory})) == 1


@pytest.mark.parametrize(("size", "count"), [("512m", 512 * 1024**2), ("2g", 2 * 1024**3)])
def test_a_size_is_read_as_java_writes_it(size: str, count: int) -> None:
    assert in_bytes(size) == count
