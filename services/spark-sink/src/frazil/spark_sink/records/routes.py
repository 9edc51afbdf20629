"""For which tables a record is: by a field, a template, or patterns of listed tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.iceberg_tables import (
    LISTED,
    NAMESPACE,
    ROUTE_FIELD,
    ROUTE_REGEX,
    TEMPLATE,
    table_setting,
)
from frazil.contracts.table_template import Hole, Source, parse_template
from frazil.spark_sink.records.errors import RouteError
from frazil.spark_sink.records.java_regex import compile_java
from frazil.spark_sink.records.model import Record, Schema
from frazil.spark_sink.records.paths import Path, follow
from frazil.spark_sink.records.texts import text_of

Router = Callable[[Record], tuple[str, ...]]
Names = Callable[[str], tuple[str, ...]]
_Part = Callable[[Record], str | None]
# Names are few beside records; a producer that never repeats one must not fill the memory.
_MOST_NAMES = 10_000


@dataclass(frozen=True)
class Route:
    """A template that each record fills in.

    With `patterns` the text is matched by those of listed tables, else it is the table's name.
    """

    template: tuple[str | Hole, ...]
    patterns: Mapping[str, str] | None = None
    namespace: str = ""

    @property
    def field(self) -> Path | None:
        """Return the path of the field that alone names the table, if it is like that."""
        first, *others = self.template
        if others or isinstance(first, str) or first.source is not Source.VALUE:
            return None
        return first.path


def route_of(config: ParsedConfig) -> Route | None:
    """Read the keys of routes; None if each record is for every listed table."""
    field: str | None = config[ROUTE_FIELD]
    template = parse_template(config[TEMPLATE] or (f"${{value.{field}}}" if field else ""))
    if not template:
        return None
    listed: tuple[str, ...] = config[LISTED] or ()
    if not listed:
        return Route(template, namespace=config[NAMESPACE] or "")
    patterns = ((table, table_setting(config, table, ROUTE_REGEX)) for table in listed)
    return Route(template, {table: pattern for table, pattern in patterns if pattern})


def router_of(route: Route) -> Router:
    """Compile a route; a record that lacks a part of the template is for no table."""
    text, tables_of = _template(route.template), names_of(route)

    def tables(record: Record) -> tuple[str, ...]:
        filled = text(record)
        return () if filled is None else tables_of(filled)

    return tables


def names_of(route: Route) -> Names:
    """Compile a function that returns the tables of a template that is filled in."""
    find = _matching(route.patterns) if route.patterns is not None else _naming(route)
    known: dict[str, tuple[str, ...]] = {}

    def tables(text: str) -> tuple[str, ...]:
        names = known.get(text)
        if names is None:
            names = find(text)
            if len(known) < _MOST_NAMES:
                known[text] = names
        return names

    return tables


def _matching(patterns: Mapping[str, str]) -> Names:
    compiled = [(table, compile_java(pattern)) for table, pattern in patterns.items()]

    def tables(text: str) -> tuple[str, ...]:
        return tuple(table for table, pattern in compiled if pattern.fullmatch(text))

    return tables


def _naming(route: Route) -> Names:
    namespace = f"{route.namespace}." if route.namespace else ""

    def tables(text: str) -> tuple[str, ...]:
        name = text.lower()
        if "." not in name:
            name = namespace + name
        if not all(name.split(".")) or "." not in name:
            raise RouteError(_no_name(name))
        return (name,)

    return tables


def _no_name(name: str) -> str:
    if "." in name.strip("."):
        return f"{name!r} is no name of a table: a part of it is empty"
    return (
        f"{name!r} is no name of a table: it has no namespace. Set {NAMESPACE}, or correct what "
        "names tables"
    )


def _template(template: tuple[str | Hole, ...]) -> _Part:
    parts = [_part(one) for one in template]
    if len(parts) == 1:
        return parts[0]

    def text(record: Record) -> str | None:
        texts = [part(record) for part in parts]
        return None if None in texts else "".join(texts)  # type: ignore[arg-type]

    return text


def _part(part: str | Hole) -> _Part:
    if isinstance(part, str):
        return lambda _: part
    if part.source is Source.TOPIC:
        return lambda record: record.topic
    if part.source is Source.HEADER:
        return _header(part.path[0])
    return _key(part.path) if part.source is Source.KEY else _value(part.path)


def _value(path: Path) -> _Part:
    name = ".".join(path)

    def text(record: Record) -> str | None:
        value = record.value
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise RouteError(f"its value has no fields, and field {name} names its table")
        return _text_at(value, path, record.value_schema)

    return text


def _text_at(value: Any, path: Path, schema: Schema | None) -> str | None:
    found, kind = follow(value, path, schema)
    return None if found is None else text_of(found, kind)


def _key(path: Path) -> _Part:
    """Read the key, or a field of it; a text or bytes may be a document in JSON."""

    def text(record: Record) -> str | None:
        key = record.key
        if not path:
            return _plain(key, record.key_schema)
        if isinstance(key, str | bytes):
            return _text_at(_document(key), path, None)
        return _text_at(key, path, record.key_schema)

    return text


def _document(text: str | bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _header(name: str) -> _Part:
    def text(record: Record) -> str | None:
        for header in reversed(record.headers):
            if header.name == name:
                return _plain(header.value, header.schema)
        return None

    return text


def _plain(value: Any, schema: Schema | None) -> str | None:
    if value is None:
        return None
    return value.decode(errors="replace") if isinstance(value, bytes) else text_of(value, schema)
