"""What the operator lets one connector take of a machine, as a rule."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from frazil.contracts.plugins.frazil_keys import DRIVER_MEMORY
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.plugin import Rule
from frazil.contracts.validators import invalid

_MIB = 1024 * 1024
_UNITS = {"m": _MIB, "g": 1024 * _MIB}
_SIZE = re.compile("[1-9][0-9]*[mg]")


def in_bytes(size: str) -> int:
    """Read a size as Java writes it: `512m`, `2g`."""
    return int(size[:-1]) * _UNITS[size[-1].lower()]


@dataclass(frozen=True)
class Bounds:
    """Most heap of a driver, such as `16g`, and most tasks."""

    memory: str
    tasks: int


def bounds_rule(bounds: Bounds) -> Rule:
    def check_bounds(config: ParsedConfig) -> Iterator[Complaint]:
        tasks, memory = config["tasks.max"], config[DRIVER_MEMORY]
        if isinstance(tasks, int) and tasks > bounds.tasks:
            yield _too_much("tasks.max", tasks, bounds.tasks, "FRAZIL_MAX_TASKS")
        # What is no size is refused by the key itself.
        if _SIZE.fullmatch(memory or "") and in_bytes(memory) > in_bytes(bounds.memory):
            yield _too_much(DRIVER_MEMORY, memory, bounds.memory, "FRAZIL_MAX_DRIVER_MEMORY")

    return check_bounds


def _too_much(name: str, value: int | str, most: int | str, setting: str) -> Complaint:
    why = f"Value must be no more than {most}, which the operator sets by {setting}"
    return Complaint(name, invalid(name, value, why))
