"""Who decides on changes of tables: the records alone, or a person beside them."""

from collections.abc import Iterator

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.iceberg_tables import (
    EVOLVE,
    PARTITION_BY,
    SCHEMA_CHANGES,
    members_of,
    table_setting,
)
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS
from frazil.contracts.validators import OneOf

ALL_SCHEMA_CHANGES = f"frazil.tables.{SCHEMA_CHANGES}"
PARTITION_EVOLUTION = "frazil.tables.partition-evolution"

_GROUP = "Schema changes"
_ASK = "ask"
_CHOICES = ("apply", _ASK)

SCHEMA_KEYS = section(
    _GROUP,
    Key(
        ALL_SCHEMA_CHANGES,
        KeyType.STRING,
        default="apply",
        importance=Importance.MEDIUM,
        documentation="What happens when records need a table that is to be created or changed: "
        "`apply` does it, `ask` leaves the table where it is, while the others go on, until "
        "somebody approves or refuses the changes that its status lists.",
        width=Width.SHORT,
        display_name="Schema changes",
        validator=OneOf(_CHOICES),
    ),
    Key(
        PARTITION_EVOLUTION,
        KeyType.STRING,
        default="ignore",
        documentation="What happens to a table that is there and is partitioned in another way "
        "than `partition-by` says: `ignore` leaves it so, `apply` has new rows follow it from the "
        "next start on, while files that are there stay as they are.",
        width=Width.SHORT,
        display_name="Partition evolution",
        validator=OneOf(("ignore", "apply")),
    ),
)

SCHEMA_FAMILIES = (
    KeyFamily(
        f"iceberg.table.<table>.{SCHEMA_CHANGES}",
        documentation=f"`apply` or `ask` for this table, whatever `{ALL_SCHEMA_CHANGES}` says of "
        "all.",
        group=_GROUP,
    ),
)


def asks(config: ParsedConfig, table: str) -> bool:
    """Tell whether a person has to approve what is to be changed of a table."""
    choice = table_setting(config, table, SCHEMA_CHANGES) or config[ALL_SCHEMA_CHANGES]
    return bool(choice == _ASK)


def asks_anywhere(config: ParsedConfig) -> bool:
    own = members_of(config, SCHEMA_CHANGES)
    return _ASK in (config[ALL_SCHEMA_CHANGES], *own.values())


def evolves_partitions(config: ParsedConfig) -> bool:
    return bool(config[PARTITION_EVOLUTION] == "apply")


def check_schema_changes(config: ParsedConfig) -> Iterator[Complaint]:
    for name, text in members_of(config, SCHEMA_CHANGES).items():
        if text not in _CHOICES:
            yield Complaint(name, f"{name}: {text} is neither apply nor ask.")


def doubt_partition_evolution(config: ParsedConfig) -> Iterator[Complaint]:
    default = config[f"iceberg.tables.default-{PARTITION_BY}"]
    if evolves_partitions(config) and not default and not members_of(config, PARTITION_BY):
        yield Complaint(
            PARTITION_EVOLUTION,
            f"Key {PARTITION_EVOLUTION} has no effect: no table is to be partitioned. Set "
            f"iceberg.tables.default-{PARTITION_BY}, or iceberg.table.<table>.{PARTITION_BY}, or "
            f"remove the key, or set {UNKNOWN_KEYS}=warn.",
        )


def doubt_schema_changes(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to asking before what does not happen in any case."""
    evolves = config[f"iceberg.tables.{EVOLVE}"] or "true" in members_of(config, EVOLVE).values()
    if evolves or config["iceberg.tables.auto-create-enabled"] or evolves_partitions(config):
        return
    own = members_of(config, SCHEMA_CHANGES)
    for name in (ALL_SCHEMA_CHANGES, *own):
        if config.submitted.get(name) == _ASK:
            yield Complaint(
                name,
                f"Key {name} has no effect: no table is created or changed. Set "
                f"iceberg.tables.auto-create-enabled or iceberg.tables.{EVOLVE}, or remove the "
                f"key, or set {UNKNOWN_KEYS}=warn.",
            )
