"""What a connector wants of a machine, by its keys; each is read as the worker reads it."""

from collections.abc import Iterable, Mapping
from functools import reduce

from frazil.contracts.assignment import Assignment
from frazil.contracts.hosting import Hosting
from frazil.contracts.parsing import check
from frazil.contracts.plugins import find_plugin
from frazil.contracts.plugins.bounds import in_bytes
from frazil.contracts.plugins.frazil_keys import DRIVER_MEMORY, FRAZIL_KEYS
from frazil.contracts.plugins.group_keys import WORKER_GROUP
from frazil.control_api.core.errors import EngineError

_CORES = "tasks.max"
# All that the size of a worker depends on.
SIZE_KEYS = (
    "connector.class",
    DRIVER_MEMORY,
    _CORES,
    "frazil.container.memory",
    "frazil.container.cpus",
)
ABOUT_TO_BEGIN = "its driver is about to take it up"
# Those that wait are such as most connectors want.
WAITING_KIND = "spark-sink"


def read_key(config: Mapping[str, str], name: str) -> object:
    """Return the value of a key. Raises EngineError for what validation refuses."""
    plugin = find_plugin(config["connector.class"])
    key = next(key for key in (*plugin.keys, *plugin.common_keys) if key.name == name)
    checked = check(key, config)
    if checked.errors:
        raise EngineError(checked.errors[0])
    return checked.value


def group_of(assignment: Assignment) -> str | None:
    """Name the group whose driver is to run it; a preview has one of its own."""
    if assignment.preview is not None:
        return None
    return str(read_key(assignment.config, WORKER_GROUP)) or None


def driver_for(group: str | None, configs: Iterable[Mapping[str, str]]) -> Hosting:
    """Describe a driver that has for each of these connectors what it wants."""
    wanted = (
        Hosting(
            group=group,
            memory=str(read_key(config, DRIVER_MEMORY)),
            cores=int(str(read_key(config, _CORES))),
        )
        for config in configs
    )
    return reduce(larger_driver, wanted)


def is_enough(there: Hosting, wanted: Hosting) -> bool:
    return in_bytes(there.memory) >= in_bytes(wanted.memory) and there.cores >= wanted.cores


def larger_driver(one: Hosting, other: Hosting) -> Hosting:
    """Describe a driver that stands in for both, which are of one group."""
    return Hosting(
        group=one.group,
        memory=max(one.memory, other.memory, key=in_bytes),
        cores=max(one.cores, other.cores),
    )


def waiting_driver() -> Hosting:
    """Describe a driver that waits for any connector which leaves the size of its heap alone."""
    return Hosting(
        memory=str(next(key.default for key in FRAZIL_KEYS if key.name == DRIVER_MEMORY))
    )


def fits_waiting(assignment: Assignment, kind: str) -> bool:
    if kind != WAITING_KIND or group_of(assignment) is not None:
        return False
    heap = in_bytes(str(read_key(assignment.config, DRIVER_MEMORY)))
    return heap == in_bytes(waiting_driver().memory)
