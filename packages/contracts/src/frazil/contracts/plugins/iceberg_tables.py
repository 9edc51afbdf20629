"""Which tables an Iceberg sink writes, by its keys: rules, and what is set for a single table."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from frazil.contracts.partitioning import BadPartitionError, parse_partitioning
from frazil.contracts.plugins.frazil_keys import DEAD_LETTER_TABLE
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS

LISTED = "iceberg.tables"
DYNAMIC = "iceberg.tables.dynamic-enabled"
ROUTE_FIELD = "iceberg.tables.route-field"
TEMPLATE = "frazil.tables.route"
NAMESPACE = "frazil.tables.namespace"
ROUTE_REGEX = "route-regex"
OPERATION = "iceberg.tables.cdc-field"
UPSERT = "iceberg.tables.upsert-mode-enabled"
SEQUENCE = "frazil.tables.sequence-field"
UNAVAILABLE = "frazil.tables.unavailable-value"
PARTITION_BY = "partition-by"
EVOLVE = "evolve-schema-enabled"
SCHEMA_CHANGES = "schema-changes"
MAIN = "main"

CONFLICT = "conflict"
TYPE = "type"
IGNORE_CASE = "iceberg.tables.schema-case-insensitive"
AUTO_CREATE = "iceberg.tables.auto-create-enabled"

_SETTINGS = ("commit-branch", "id-columns", PARTITION_BY, ROUTE_REGEX, EVOLVE, SCHEMA_CHANGES)
_OF_COLUMNS = rf"(?:{CONFLICT}|{TYPE})\..+"
# `write-props` is no table but a spelling of Tabular's for properties of writing.
_OF_TABLE = re.compile(
    rf"iceberg\.table\.(?!write-props\.)(.+?)\.({'|'.join((_OF_COLUMNS, *_SETTINGS))})", re.DOTALL
)
_WRITING = ("iceberg.tables.write-props.", "iceberg.table.write-props.")
_WAY_OUT = f"Correct or remove it, or set {UNKNOWN_KEYS}=warn."


def table_setting(config: ParsedConfig, table: str, setting: str) -> str | None:
    """Return what is set for one table, named with its namespace or, as newer sinks do, without."""
    for name in table_names(table):
        text = config.submitted.get(f"iceberg.table.{name}.{setting}")
        if text:
            return text
    return None


def table_names(table: str) -> tuple[str, str]:
    return table, table.rpartition(".")[2]


def of_table(name: str) -> tuple[str, str] | None:
    """Return table and setting of a key that is of one table."""
    found = _OF_TABLE.fullmatch(name)
    return (found[1], found[2]) if found else None


def members_of(config: ParsedConfig, setting: str) -> dict[str, str]:
    """Return the keys that set this for single tables, and what they say."""
    return {key: text for key, text in config.submitted.items() if _setting_of(key) == setting}


def commit_branch(config: ParsedConfig, table: str) -> str:
    found = table_setting(config, table, "commit-branch")
    return found or config["iceberg.tables.default-commit-branch"] or MAIN


def why_no_side(config: ParsedConfig, branch: str) -> str | None:
    """Say why nothing can be read again into a side branch of this name; None if it can."""
    if is_dynamic(config):
        return f"a side branch is for the tables listed in {LISTED}, and records name theirs"
    if config[DEAD_LETTER_TABLE]:
        return (
            f"letters in {DEAD_LETTER_TABLE} have no side branch: one could not tell which of them "
            "are rows by now"
        )
    taken = [table for table in config[LISTED] if commit_branch(config, table) == branch]
    if branch == MAIN or taken:
        return f"branch {branch} is where rows go as it is"
    return None


def is_evolving(config: ParsedConfig, table: str) -> bool:
    """Tell whether a table follows its records; a single one may be frozen, or let go."""
    text = table_setting(config, table, EVOLVE)
    return bool(config[f"iceberg.tables.{EVOLVE}"]) if text is None else text == "true"


def writes_tables(config: ParsedConfig) -> bool:
    """Tell whether it is the configuration of an Iceberg sink at all."""
    return LISTED in config.values


def is_changing(config: ParsedConfig) -> bool:
    """Tell whether records change the row of their key, instead of being rows."""
    return bool(config[OPERATION] or config[UPSERT])


def is_dynamic(config: ParsedConfig) -> bool:
    """Tell whether each record names its table."""
    return bool(config[DYNAMIC] or config[TEMPLATE])


def check_tables(config: ParsedConfig) -> Iterator[Complaint]:
    """Tables are listed or named by the records: one of the two, never both."""
    listed, template = config[LISTED], config[TEMPLATE]
    if listed and config[DYNAMIC]:
        yield Complaint(LISTED, f"{LISTED} and {DYNAMIC}=true exclude each other.")
    elif listed and template:
        yield Complaint(TEMPLATE, f"{LISTED} and {TEMPLATE} exclude each other.")
    elif template and config[ROUTE_FIELD]:
        message = f"{ROUTE_FIELD} and {TEMPLATE} exclude each other: each names the table."
        yield Complaint(TEMPLATE, message)
    elif config[DYNAMIC] and not config[ROUTE_FIELD] and not template:
        yield Complaint(ROUTE_FIELD, f"{DYNAMIC}=true needs {ROUTE_FIELD}.")
    elif not listed and not is_dynamic(config):
        yield Complaint(LISTED, f"No table is configured: set {LISTED}.")


def check_changes(config: ParsedConfig) -> Iterator[Complaint]:
    if config[SEQUENCE] and not is_changing(config):
        yield Complaint(
            SEQUENCE,
            f"{SEQUENCE} orders changes, and records are none: set {OPERATION} or {UPSERT}=true.",
        )


def check_partitions(config: ParsedConfig) -> Iterator[Complaint]:
    for name, text in config.submitted.items():
        if name == "iceberg.tables.default-partition-by" or _setting_of(name) == PARTITION_BY:
            try:
                parse_partitioning(text)
            except BadPartitionError as error:
                yield Complaint(name, f"{name}: {error}.")


def check_evolution(config: ParsedConfig) -> Iterator[Complaint]:
    for name, text in members_of(config, EVOLVE).items():
        if text not in ("true", "false"):
            yield Complaint(name, f"{name}: {text} is neither true nor false.")


def check_dead_letter_table(config: ParsedConfig) -> Iterator[Complaint]:
    table = config[DEAD_LETTER_TABLE]
    if not table:
        return
    if "." not in table.strip("."):
        yield Complaint(
            DEAD_LETTER_TABLE,
            f"{DEAD_LETTER_TABLE}: {table} has no namespace; say namespace.table.",
        )
    if table in (config[LISTED] or ()):
        message = f"{DEAD_LETTER_TABLE}: {table} is in {LISTED}; give it a table of its own."
        yield Complaint(DEAD_LETTER_TABLE, message)


def doubt_strange_tables(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to settings of a table that is not listed."""
    listed = config[LISTED] or ()
    known = {name for table in listed for name in table_names(table)}
    for name in config.submitted:
        found = of_table(name)
        if not listed or found is None or found[0] in known:
            continue
        nearest = get_close_matches(found[0], sorted(known), n=1)
        guess = f" Did you mean iceberg.table.{nearest[0]}.{found[1]}?" if nearest else ""
        yield Complaint(
            name,
            f"Key {name} has no effect: {found[0]} is not in {LISTED}.{guess} {_WAY_OUT}",
        )


def doubt_properties(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to properties of writing that a table which takes changes has to have itself."""
    for name in config.submitted:
        if is_changing(config) and name.startswith(_WRITING):
            why = "changes are written by the properties of the table alone"
            yield Complaint(name, f"Key {name} has no effect: {why}. {_WAY_OUT}")


def doubt_routes(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to routing that decides nothing, or lets nothing through."""
    patterns = members_of(config, ROUTE_REGEX)
    if config[LISTED] and config[ROUTE_FIELD] and not patterns:
        message = (
            f"{ROUTE_FIELD} is set, but no table has a {ROUTE_REGEX}: nothing would be written."
        )
        yield Complaint(ROUTE_FIELD, f"{message} {_WAY_OUT}")
    if is_dynamic(config) or not config[ROUTE_FIELD]:
        why = "each record names its table" if is_dynamic(config) else f"{ROUTE_FIELD} is not set"
        for name in patterns:
            yield Complaint(name, f"Key {name} has no effect: {why}. {_WAY_OUT}")
    if config[NAMESPACE] and not is_dynamic(config):
        message = f"Key {NAMESPACE} has no effect: the tables are listed. {_WAY_OUT}"
        yield Complaint(NAMESPACE, message)


def _setting_of(name: str) -> str | None:
    found = of_table(name)
    return found[1] if found else None
