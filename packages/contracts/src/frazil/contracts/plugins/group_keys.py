"""Groups: connectors that share one driver, and what they can therefore not have of their own."""

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

from frazil.contracts.config import Key, KeyType, Width
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.validators import Matches

WORKER_GROUP = "frazil.worker.group"
ALLOWED_GROUPS = "FRAZIL_WORKER_GROUPS"

# Settings of Spark that each session in a driver may have different.
SESSION_PREFIX = "spark.sql."
_DRIVER_PREFIX = "spark."

GROUP_KEY = Key(
    WORKER_GROUP,
    KeyType.STRING,
    default="",
    documentation="Name of a group of connectors that share one driver, and so its memory: for "
    "many connectors with little to do each. The driver has the most that any of them wants by "
    "`frazil.driver.memory` and `tasks.max`. Without it a connector has a driver of its own. The "
    "operator lists the groups that may be joined (`FRAZIL_WORKER_GROUPS`).",
    width=Width.SHORT,
    display_name="Worker group",
    validator=Matches("([a-zA-Z0-9][a-zA-Z0-9._-]{0,59})?", "A name of letters, digits, . _ and -"),
)


def group_rule(allowed: Sequence[str]) -> Callable[[ParsedConfig], Iterator[Complaint]]:
    """Refuse to join a group that the operator does not list: its members share all they have."""

    def check_joining(config: ParsedConfig) -> Iterator[Complaint]:
        group = config[WORKER_GROUP]
        if group and not any(fnmatchcase(group, pattern) for pattern in allowed):
            yield Complaint(
                WORKER_GROUP,
                f"Group {group} may not be joined: whoever is in it reaches the memory, and so the "
                f"secrets, of all its connectors. Leave {WORKER_GROUP} out, or have the operator "
                f"add the group to {ALLOWED_GROUPS} of the control API.",
            )

    return check_joining


def check_group(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse settings of the whole driver where it is not the connector's alone."""
    if not config[WORKER_GROUP]:
        return
    for name in config.submitted:
        if name.startswith(_DRIVER_PREFIX) and not name.startswith(SESSION_PREFIX):
            yield Complaint(
                name,
                f"{name} is a setting of the whole driver, which the connectors of group "
                f"{config[WORKER_GROUP]} share. Leave it out, or leave out {WORKER_GROUP}.",
            )
