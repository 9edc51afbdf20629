"""What tables are to be like: the objectives by which a sink looks after those that it writes."""

from collections.abc import Iterator

from frazil.contracts.config import Importance, Key, KeyType, Width, section
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS
from frazil.contracts.validators import AtLeast, Between, OffOrAtLeast, Optional

MAINTENANCE = "frazil.maintenance.enabled"
FILE_BYTES = "frazil.maintenance.file.bytes"
HISTORY_MS = "frazil.maintenance.history.ms"
MOST_SNAPSHOTS = "frazil.maintenance.snapshots.max"
ORPHAN_AGE_MS = "frazil.maintenance.orphan.age.ms"
BUDGET = "frazil.maintenance.budget.percent"
FRESHNESS_MS = "frazil.freshness.ms"

_HOUR_MS = 60 * 60 * 1000
_DAY_MS = 24 * _HOUR_MS
_PREFIX = "frazil.maintenance."

MAINTENANCE_KEYS = section(
    "Objectives",
    Key(
        FRESHNESS_MS,
        KeyType.LONG,
        importance=Importance.MEDIUM,
        documentation="How old a record may be when its row is visible, in milliseconds. Commits "
        "are then as rare as that allows, for larger files, in the place of "
        "`iceberg.control.commit.interval-ms`; and maintenance waits while records are older.",
        display_name="Freshness",
        validator=Optional(AtLeast(1000)),
    ),
    Key(
        MAINTENANCE,
        KeyType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Whether the sink looks after its tables: small files are put together, "
        "rows that were deleted taken out of files, snapshots expired, files that no snapshot "
        "knows deleted. It happens beside the stream and never against it, one step at a time, "
        "by the objectives below. One connector a table is to do it.",
        width=Width.SHORT,
        display_name="Maintenance",
    ),
    Key(
        FILE_BYTES,
        KeyType.LONG,
        default=128 * 1024 * 1024,
        documentation="Size that data files are to have. Small ones are put together in stages, "
        "so that each row is written a few times at most; what a partition has left is put "
        "together once it rests.",
        display_name="File size",
        validator=AtLeast(64 * 1024),
    ),
    Key(
        HISTORY_MS,
        KeyType.LONG,
        default=5 * _DAY_MS,
        documentation="How far back in time queries may ask, in milliseconds: older snapshots "
        "are expired, and files deleted that only they have. What has a tag or a branch is kept. "
        "-1: whatever their age.",
        display_name="History",
        validator=OffOrAtLeast(0),
    ),
    Key(
        MOST_SNAPSHOTS,
        KeyType.LONG,
        default=1000,
        documentation="Most snapshots that a table is to keep, for each makes every commit a "
        "little longer. -1: however many.",
        display_name="Snapshots",
        validator=OffOrAtLeast(1),
    ),
    Key(
        ORPHAN_AGE_MS,
        KeyType.LONG,
        default=3 * _DAY_MS,
        documentation="Age, in milliseconds, at which a file below the table's location that no "
        "snapshot knows is deleted: what workers leave that were killed. Looked for once a day. "
        "It has to be longer than any write takes, also those of others. -1: never.",
        display_name="Age of orphans",
        validator=OffOrAtLeast(_HOUR_MS),
    ),
    Key(
        BUDGET,
        KeyType.INT,
        default=20,
        documentation="Share of the time that maintenance may take, in percent: after a step of a "
        "second it rests for four with 20. It uses one core more than `tasks.max`.",
        width=Width.SHORT,
        display_name="Budget",
        validator=Between(1, 100),
    ),
)


def doubt_maintenance(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to objectives that nobody pursues."""
    for name in config.submitted:
        if name.startswith(_PREFIX) and not config[MAINTENANCE] and name != MAINTENANCE:
            yield Complaint(
                name,
                f"Key {name} has no effect: {MAINTENANCE} is false. Set it, or remove the key, "
                f"or set {UNKNOWN_KEYS}=warn.",
            )
