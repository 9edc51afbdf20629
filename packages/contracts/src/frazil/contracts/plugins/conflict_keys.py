"""Values and columns of different types: what is to be done, and which types columns get."""

import re
from collections.abc import Iterable, Iterator

from frazil.contracts.columns import (
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
    LISTED,
    TYPE,
    is_evolving,
    of_table,
    table_names,
)
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.sink import DEAD_LETTER_TOPIC
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS
from frazil.contracts.validators import OneOf

DEFAULT = "frazil.tables.conflict"

_POLICIES = ", ".join(Policy)
_OF_ALL = re.compile(rf"frazil\.tables\.({CONFLICT}|{TYPE})\.(.+)", re.DOTALL)

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
        "in the row, and the record is a dead letter too. `string`: new columns are text. `raw`: "
        "it is null, and its text is in the column `<name>__raw` beside it.",
        width=Width.SHORT,
        display_name="Type conflicts",
        validator=OneOf(tuple(Policy)),
        recommended=tuple(Policy),
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
    return ColumnRules(Policy(config[DEFAULT]), policies, types)


def check_columns(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse what cannot be read; then what cannot be meant, for all tables and for each named."""
    bad = [*_unreadable(config)]
    yield from bad
    if bad or config[DEFAULT] not in tuple(Policy):
        return
    yield from _lost(config)
    named = (_table_of(name) for name in config.submitted)
    seen: set[Complaint] = set()
    for table in dict.fromkeys(("", *(config[LISTED] or ()), *named)):
        found = [one for one in _contradictions(config, table) if one not in seen]
        seen.update(found)
        yield from found


def doubt_types(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to types of columns that are never made."""
    for name in config.submitted:
        setting, _ = _setting(name)
        table = _table_of(name)
        evolves = is_evolving(config, table) if table else _may_evolve(config)
        if setting == TYPE and not config[AUTO_CREATE] and not evolves:
            yield Complaint(
                name,
                f"Key {name} has no effect: no column is ever made. Set {AUTO_CREATE}=true, remove "
                f"the key, or set {UNKNOWN_KEYS}=warn.",
            )


def _may_evolve(config: ParsedConfig) -> bool:
    tables = [found[0] for name in config.submitted if (found := of_table(name))]
    return any(is_evolving(config, table) for table in ("", *tables))


def _setting(name: str) -> tuple[str, str]:
    """Return `conflict` or `type` and the path, of a key of all tables or of one; else nothing."""
    found = _OF_ALL.fullmatch(name)
    if found:
        return found[1], found[2]
    own = of_table(name)
    setting, _, path = own[1].partition(".") if own else ("", "", "")
    return (setting, path) if setting in (CONFLICT, TYPE) else ("", "")


def _table_of(name: str) -> str:
    own = of_table(name)
    return own[0] if own and _setting(name)[0] else ""


def _unreadable(config: ParsedConfig) -> Iterator[Complaint]:
    for name, text in config.submitted.items():
        setting, path = _setting(name)
        try:
            if setting:
                parse_path(path)
            if setting == TYPE:
                parse_type(text)
        except (BadPathError, BadTypeError) as error:
            yield Complaint(name, f"{name}: {error}.")
        if setting == CONFLICT and text not in tuple(Policy):
            yield Complaint(name, f"{name}: {text} is no policy; give one of {_POLICIES}.")


def _lost(config: ParsedConfig) -> Iterator[Complaint]:
    """A value that is null in its row has to be somewhere else."""
    if config[DEAD_LETTER_TABLE] or config[DEAD_LETTER_TOPIC]:
        return
    for name, text in config.submitted.items():
        if text == Policy.NULL and (name == DEFAULT or _setting(name)[0] == CONFLICT):
            yield Complaint(
                name,
                f"{name}: null needs somewhere to keep the records whose values are lost. Set "
                f"{DEAD_LETTER_TABLE}, or {DEAD_LETTER_TOPIC}; or keep them with raw.",
            )


def _contradictions(config: ParsedConfig, table: str) -> Iterator[Complaint]:
    rules = column_rules(config, table)
    for name in config.submitted:
        setting, text = _setting(name)
        if not setting or _table_of(name) not in ("", *table_names(table)):
            continue
        path = parse_path(text)
        above = _whole_above(rules, path)
        kind = rules.type(path)
        if above:
            yield Complaint(name, f"{name}: {above}, so that nothing is inside of it.")
        elif setting == TYPE and kind and kind.name != "string" and _is_text(rules, path):
            yield Complaint(
                name,
                f"{name}: by its policy the column is a string. Give it another policy in "
                f"{DEFAULT}.{text}, or no type.",
            )


def _whole_above(rules: ColumnRules, path: Path) -> str:
    """Say what makes single values of something that the path would lead into."""
    for above in _parents(path):
        name = ".".join(above)
        if rules.type(above) is not None:
            return f"{name} has a type of its own"
        if _is_text(rules, above):
            return f"{name} is kept as a string"
    return ""


def _is_text(rules: ColumnRules, path: Path) -> bool:
    return rules.policy(path) is Policy.STRING


def _parents(path: Path) -> Iterable[Path]:
    return (path[:depth] for depth in range(1, len(path)))
