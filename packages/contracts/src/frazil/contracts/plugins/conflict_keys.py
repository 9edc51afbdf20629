"""Values and columns of different types: what is to be done, and which types columns get."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from frazil.contracts.columns import (
    RESCUED_COLUMN,
    BadPathError,
    BadTypeError,
    ColumnRules,
    ColumnType,
    Path,
    Policy,
    parse_path,
    parse_type,
)
from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.frazil_keys import DEAD_LETTER_TABLE
from frazil.contracts.plugins.iceberg_tables import (
    AUTO_CREATE,
    CONFLICT,
    IGNORE_CASE,
    LISTED,
    TYPE,
    is_evolving,
    of_table,
    table_names,
)
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.sink import DEAD_LETTER_TOPIC
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS
from frazil.contracts.validators import Matches, OneOf

DEFAULT = "frazil.tables.conflict"
RESCUED = "frazil.tables.rescued-column"

_POLICIES = tuple(Policy)
_TEXT = ColumnType("string")

CONFLICT_KEYS = section(
    "Types",
    Key(
        DEFAULT,
        KeyType.STRING,
        default=Policy.CAST.value,
        importance=Importance.MEDIUM,
        documentation="What becomes of a value that its column cannot hold, for all columns that "
        "have no policy of their own. `cast`: it is converted where nothing is lost, else the "
        "record is dead. `fail`: what is of another type stops the connector. `null`: it is null "
        "in the row, and the record is a dead letter too. `rescue`: it is null in the row, and "
        f"kept as JSON in the column that `{RESCUED}` names.",
        width=Width.SHORT,
        display_name="Type conflicts",
        validator=OneOf(_POLICIES),
        recommended=_POLICIES,
    ),
    Key(
        RESCUED,
        KeyType.STRING,
        default=RESCUED_COLUMN,
        documentation="Name of the column that keeps what the policy `rescue` takes out of a row: "
        'JSON such as `{"customer.age":"n/a"}`, by path, or null. It is an optional string. Tables '
        "that the sink creates or evolves get it from the sink; others need to have it.",
        display_name="Rescued column",
        validator=Matches("[^.]+", "The name of one column, without dots"),
    ),
)

CONFLICT_FAMILIES = (
    KeyFamily(
        "frazil.tables.conflict.<path>",
        documentation="The policy of one column, or field inside of one, in all tables: a path "
        "with dots, where `element` leads into a list and `value` into a map. It holds for all "
        "that is inside, too.",
        group="Types",
    ),
    KeyFamily(
        "frazil.tables.type.<path>",
        documentation="Type that the column of this path gets when it is made: `boolean`, `int`, "
        "`long`, `float`, `double`, `decimal(p,s)`, `string`, `binary`, `date`, `timestamp`, "
        "`timestamptz`, or in tables of format version 3 `variant`.",
        group="Types",
    ),
    KeyFamily(
        "iceberg.table.<table>.conflict.<path>",
        documentation="The policy of one column of this table.",
        group="Types",
    ),
    KeyFamily(
        "iceberg.table.<table>.type.<path>",
        documentation="Type of one column of this table, if it is made.",
        group="Types",
    ),
)


def column_rules(config: ParsedConfig, table: str) -> ColumnRules:
    """Read what is set for the columns of a table: its own keys win over those of all."""
    policies: dict[Path, Policy] = {}
    types: dict[Path, ColumnType] = {}
    prefixes = [f"iceberg.table.{name}." for name in reversed(table_names(table))]
    for prefix in ("frazil.tables.", *prefixes):
        for path, text in config.prefixed(f"{prefix}{CONFLICT}.").items():
            policies[parse_path(path)] = Policy(text)
        for path, text in config.prefixed(f"{prefix}{TYPE}.").items():
            types[parse_path(path)] = parse_type(text)
    found = ColumnRules(Policy(config[DEFAULT]), policies, types, rescued=config[RESCUED])
    return found.ignoring_case() if config[IGNORE_CASE] else found


class _ColumnKey(NamedTuple):
    """A key of one path; `table` is empty where it is for all."""

    name: str
    table: str
    setting: str
    path: str
    text: str


def _column_keys(config: ParsedConfig) -> Iterator[_ColumnKey]:
    for name, text in config.submitted.items():
        table, setting = of_table(name) or ("", name.removeprefix("frazil.tables."))
        word, _, path = setting.partition(".")
        if word in (CONFLICT, TYPE) and path and setting != name:
            yield _ColumnKey(name, table, word, path, text)


def check_columns(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse what cannot be read; then what cannot be meant, for all tables and for each named."""
    keys = list(_column_keys(config))
    unreadable = [complaint for key in keys for complaint in _unreadable(key)]
    yield from unreadable
    if unreadable or config[DEFAULT] not in _POLICIES:
        return
    yield from _lost(config, keys)
    tables = ["", *(config[LISTED] or ()), *(key.table for key in keys)]
    found = (one for table in tables for one in _contradictions(config, table, keys))
    # What is said of all tables is wrong in each of them.
    yield from dict.fromkeys(found)


def doubt_types(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to types of columns that are never made."""
    tables = {found[0] for name in config.submitted if (found := of_table(name))}
    if config[AUTO_CREATE] or any(is_evolving(config, table) for table in ("", *tables)):
        return
    for key in _column_keys(config):
        if key.setting == TYPE:
            yield Complaint(
                key.name,
                f"Key {key.name} has no effect: no column is ever made. Set {AUTO_CREATE}=true, "
                f"remove the key, or set {UNKNOWN_KEYS}=warn.",
            )


def doubt_rescued_column(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to a column for values that no policy rescues."""
    if config.is_set(RESCUED) and not any(_keys_with(Policy.RESCUE, config, _column_keys(config))):
        yield Complaint(
            RESCUED,
            f"Key {RESCUED} has no effect: no policy is rescue. Set {DEFAULT}=rescue, remove the "
            f"key, or set {UNKNOWN_KEYS}=warn.",
        )


def _unreadable(key: _ColumnKey) -> Iterator[Complaint]:
    try:
        parse_path(key.path)
        if key.setting == TYPE:
            parse_type(key.text)
    except (BadPathError, BadTypeError) as error:
        yield Complaint(key.name, f"{key.name}: {error}.")
    if key.setting == CONFLICT and key.text not in _POLICIES:
        known = ", ".join(_POLICIES)
        yield Complaint(key.name, f"{key.name}: {key.text} is no policy; give one of {known}.")


def _lost(config: ParsedConfig, keys: Iterable[_ColumnKey]) -> Iterator[Complaint]:
    """A value that is null in its row has to be somewhere else."""
    if config[DEAD_LETTER_TABLE] or config[DEAD_LETTER_TOPIC]:
        return
    for name in _keys_with(Policy.NULL, config, keys):
        yield Complaint(
            name,
            f"{name}: null needs somewhere to keep the records whose values are lost. Set "
            f"{DEAD_LETTER_TABLE}, or {DEAD_LETTER_TOPIC}; or keep the values with rescue.",
        )


def _keys_with(policy: Policy, config: ParsedConfig, keys: Iterable[_ColumnKey]) -> Iterator[str]:
    if config[DEFAULT] == policy:
        yield DEFAULT
    for key in keys:
        if key.setting == CONFLICT and key.text == policy:
            yield key.name


def _contradictions(
    config: ParsedConfig, table: str, keys: Iterable[_ColumnKey]
) -> Iterator[Complaint]:
    rules = column_rules(config, table)
    for key in keys:
        if key.table not in ("", *table_names(table)):
            continue
        path = parse_path(key.path)
        above, kind = _typed_above(rules, path), rules.type(path)
        if above is not None:
            yield Complaint(
                key.name,
                f"{key.name}: {'.'.join(above)} has a type of its own, so that nothing is inside "
                "of it.",
            )
        elif key.setting == TYPE and path == (rules.rescued,) and kind != _TEXT:
            yield Complaint(
                key.name,
                f"{key.name}: {rules.rescued} keeps rescued values as a string. Remove the type, "
                f"or name another column in {RESCUED}.",
            )


def _typed_above(rules: ColumnRules, path: Path) -> Path | None:
    """Return the column with a single value that the path would lead into."""
    parents = (path[:depth] for depth in range(1, len(path)))
    return next((parent for parent in parents if rules.type(parent) is not None), None)
