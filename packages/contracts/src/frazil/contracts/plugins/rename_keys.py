"""Columns that are to have another name than the fields that records bring for them."""

from collections import Counter
from collections.abc import Callable, Iterator

from frazil.contracts.column_names import ColumnNames
from frazil.contracts.columns import BadPathError, Path, parse_path
from frazil.contracts.config import KeyFamily
from frazil.contracts.plugins.conflict_keys import ColumnKey, column_keys
from frazil.contracts.plugins.iceberg_tables import IGNORE_CASE, LISTED, RENAME, table_names
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig

_GROUP = "Schema changes"

RENAME_FAMILIES = (
    KeyFamily(
        f"iceberg.table.<table>.{RENAME}.<path>",
        documentation="New name of the column that has this path so far, such as `client` for "
        "`customer`; without what is above it. The column is renamed and keeps its values, "
        "whatever `iceberg.tables.evolve-schema-enabled` says. Records are written to it by either "
        "name; one that has two different values for it is dead.",
        group=_GROUP,
    ),
    KeyFamily(
        f"frazil.tables.{RENAME}.<path>",
        documentation="New name of the column of this path, in all tables that have it.",
        group=_GROUP,
    ),
)


def column_names(
    config: ParsedConfig, table: str, refuses: Callable[[Path], bool] = lambda _: False
) -> ColumnNames:
    """Read what the columns of a table are to be called: its own keys win over those of all."""
    wanted = {path: name for path, (_, name) in _wanted(config, table).items()}
    return ColumnNames.of(wanted, ignore_case=config[IGNORE_CASE], refuses=refuses)


def _wanted(config: ParsedConfig, table: str) -> dict[Path, tuple[str, str]]:
    """Return the new name for each path, and behind the key that says so."""
    found: dict[Path, tuple[str, str]] = {}
    prefixes = [f"iceberg.table.{name}." for name in reversed(table_names(table))]
    for prefix in (f"{one}{RENAME}." for one in ("frazil.tables.", *prefixes)):
        for path, name in config.prefixed(prefix).items():
            found[parse_path(path)] = (f"{prefix}{path}", name)
    return found


def renames(config: ParsedConfig) -> bool:
    """Tell whether any column is to have another name."""
    return any(column_keys(config, RENAME))


def check_renames(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse what cannot be read; then what cannot be meant, for all tables and for each named."""
    keys = list(column_keys(config, RENAME))
    unreadable = [complaint for key in keys for complaint in _unreadable(key)]
    yield from unreadable
    if unreadable:
        return
    tables = ["", *(config[LISTED] or ()), *(key.table for key in keys)]
    found = (one for table in tables for one in _contradictions(config, table))
    # What is said of all tables is wrong in each of them.
    yield from dict.fromkeys(found)


def _unreadable(key: ColumnKey) -> Iterator[Complaint]:
    try:
        parse_path(key.path)
    except BadPathError as error:
        yield Complaint(key.name, f"{key.name}: {error}.")
    if not key.text or "." in key.text:
        yield Complaint(
            key.name,
            f"{key.name}: {key.text or 'nothing'} is no name of a column. Give one without a dot: "
            "a column stays inside of what it is in.",
        )


def _contradictions(config: ParsedConfig, table: str) -> Iterator[Complaint]:
    """Refuse a name that is given up or taken more than once: two for one, chains, nothing new."""
    wanted, names = _wanted(config, table), column_names(config, table)

    def place(path: Path, name: str) -> str:
        return names.key(".".join((*names.now(path[:-1]), name)))

    olds = {path: place(path, path[-1]) for path in wanted}
    news = {path: place(path, name) for path, (_, name) in wanted.items()}
    uses = Counter([*olds.values(), *news.values()])
    for path, (key, name) in wanted.items():
        if uses[olds[path]] > 1 or uses[news[path]] > 1:
            yield Complaint(
                key,
                f"{key}: {path[-1]} or {name} is in another rename too, or both are the same. "
                "Give each column its last name at once, and each name to one column.",
            )
