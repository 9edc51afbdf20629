"""Who decides on changes of tables: the records alone, or a person beside them."""

from collections.abc import Iterator

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.iceberg_tables import (
    EVOLVE,
    SCHEMA_CHANGES,
    members_of,
    table_setting,
)
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS
from frazil.contracts.validators import OneOf

ALL_SCHEMA_CHANGES = f"frazil.tables.{SCHEMA_CHANGES}"

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


def check_schema_changes(config: ParsedConfig) -> Iterator[Complaint]:
    for name, text in members_of(config, SCHEMA_CHANGES).items():
        if text not in _CHOICES:
            yield Complaint(name, f"{name}: {text} is neither apply nor ask.")


def doubt_schema_changes(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to asking before what does not happen in any case."""
    evolves = config[f"iceberg.tables.{EVOLVE}"] or "true" in members_of(config, EVOLVE).values()
    if evolves or config["iceberg.tables.auto-create-enabled"]:
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
