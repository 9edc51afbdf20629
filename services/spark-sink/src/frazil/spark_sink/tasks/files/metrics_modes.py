"""How much a table wants to have measured of each column, from its properties."""

import re
import sys
from collections.abc import Iterator, Mapping

from frazil.spark_sink.records.schema.types import List, Map, Primitive, Struct, Type
from frazil.spark_sink.tasks.files.arrow_schema import parquet_leaves

# A mode is the length to which bounds are cut; 0 counts without bounds.
Mode = int | None
NONE: Mode = None
COUNTS: Mode = 0
FULL: Mode = sys.maxsize
DEFAULT: Mode = 16

_DEFAULT_KEY = "write.metadata.metrics.default"
_COLUMN_KEY = "write.metadata.metrics.column."
_LIMIT_KEY = "write.metadata.metrics.max-inferred-column-defaults"
_TRUNCATE = re.compile(r"truncate\((\d+)\)")


def metrics_modes(
    schema: Struct, properties: Mapping[str, str], sorted_columns: tuple[str, ...] = ()
) -> dict[int, Mode]:
    """Return the mode of each column, by its id, as Iceberg's `MetricsConfig` chooses it."""
    explicit = properties.get(_DEFAULT_KEY)
    limit = _limit(properties)
    measured: set[int] | None = None
    if explicit is not None:
        default = _parse(explicit, DEFAULT)
    elif len(set(_counted(schema))) <= limit:
        default = DEFAULT
    else:
        default, measured = NONE, _first(schema, limit)
    names = {leaf.name for leaf in parquet_leaves(schema)}
    chosen: dict[str, Mode] = dict.fromkeys(sorted_columns, default or DEFAULT)
    for key, value in properties.items():
        name = key.removeprefix(_COLUMN_KEY)
        if name != key and name in names:
            chosen[name] = _parse(value, default)
    inferred = dict.fromkeys(measured or (), DEFAULT)
    return {
        leaf.id: chosen.get(leaf.name, inferred.get(leaf.id, default))
        for leaf in parquet_leaves(schema)
    }


def _parse(text: str, fallback: Mode) -> Mode:
    fixed = {"none": NONE, "counts": COUNTS, "full": FULL}
    word = text.lower()
    if word in fixed:
        return fixed[word]
    match = _TRUNCATE.fullmatch(word)
    return int(match[1]) if match and int(match[1]) else fallback


def _limit(properties: Mapping[str, str]) -> int:
    limit = int(properties.get(_LIMIT_KEY, 100))
    return limit if limit >= 0 else 100


def _counted(kind: Type) -> Iterator[int]:
    """List the ids that Iceberg counts against the limit: structs, but no nested containers."""
    if isinstance(kind, Struct):
        for column in kind.columns:
            if isinstance(column.type, Primitive | Struct):
                yield column.id
            yield from _counted(column.type)
    elif isinstance(kind, List):
        if isinstance(kind.element, Primitive):
            yield kind.element_id
        yield from _counted(kind.element)
    elif isinstance(kind, Map):
        if isinstance(kind.value, Primitive):
            yield from (kind.key_id, kind.value_id)
        yield from _counted(kind.key)
        yield from _counted(kind.value)


def _first(schema: Struct, limit: int) -> set[int]:
    """Choose the columns that are measured in a wide table: each struct's own before nested."""
    ids: set[int] = set()
    for number in _by_level(schema):
        if len(ids) >= limit:
            break
        ids.add(number)
    return ids


def _by_level(kind: Type) -> Iterator[int]:
    if isinstance(kind, Struct):
        yield from (column.id for column in kind.columns if isinstance(column.type, Primitive))
        for column in kind.columns:
            yield from _by_level(column.type)
    elif isinstance(kind, List):
        if isinstance(kind.element, Primitive):
            yield kind.element_id
        yield from _by_level(kind.element)
    elif isinstance(kind, Map):
        if isinstance(kind.key, Primitive):
            yield kind.key_id
        if isinstance(kind.value, Primitive):
            yield kind.value_id
        yield from _by_level(kind.key)
        yield from _by_level(kind.value)
