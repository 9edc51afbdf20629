"""Whose work a sink goes on with: that of Kafka Connect's own, where it has written before."""

from collections.abc import Iterator

from frazil.contracts.config import Importance, Key, KeyType, Width, section
from frazil.contracts.plugins.iceberg_tables import LISTED
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig

TAKEOVER_GROUP = "frazil.takeover.group"

TAKEOVER_KEYS = section(
    "Takeover",
    Key(
        TAKEOVER_GROUP,
        KeyType.STRING,
        importance=Importance.MEDIUM,
        documentation="Consumer group of a Kafka Connect sink that wrote these tables before, by "
        "`iceberg.control.topic`: `connect-<name>` of Apache's, `cg-control-<name>` of Tabular's. "
        "Where its commit is the newest in a table, the connector goes on behind the last record "
        "that is there; files that it had written and not committed are left, and their records "
        "read again. It has to be stopped. `frazil import connect` sets this.",
        width=Width.LONG,
        display_name="Takeover group",
    ),
)


def check_takeover(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse it where records name tables: those that lack files could not be known at a start."""
    if config[TAKEOVER_GROUP] and not config[LISTED]:
        yield Complaint(TAKEOVER_GROUP, f"{TAKEOVER_GROUP} needs {LISTED}.")
