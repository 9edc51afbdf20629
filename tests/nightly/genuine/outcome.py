"""What a sink made of a case, in a form that two sinks can be compared in."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from pyiceberg.table import Table
from tests.nightly.genuine.case import Case

from frazil.spark_sink.records.schema.types import Column, List, Map, Struct, Type, parse_schema


@dataclass(frozen=True, order=True)
class DeadLetter:
    """`stage` and `class_name` are those of Kafka Connect's headers."""

    offset: int
    stage: str
    class_name: str


@dataclass(frozen=True)
class Outcome:
    """What is in the table: its schema, rows as texts; `died` says why a task ended."""

    schema: Struct
    rows: tuple[str, ...]
    dead: tuple[DeadLetter, ...] = ()
    died: str = ""

    @property
    def columns(self) -> Mapping[str, str]:
        """The type at each path."""
        return dict(_columns(self.schema, ""))


@dataclass(frozen=True)
class Trial:
    """A case and its outcome; `deadly` are records that had to be taken out, for tasks to live."""

    case: Case
    outcome: Outcome
    deadly: tuple[int, ...] = ()


def outcome_of_tables(
    tables: Mapping[str, Table], dead: Iterable[DeadLetter] = (), died: str = ""
) -> Outcome:
    """Read tables as they are now; the columns and rows of several are told by their names."""
    letters, found = tuple(sorted(dead)), {name: _read(one) for name, one in tables.items()}
    if len(found) == 1:
        ((schema, rows),) = found.values()
        return Outcome(schema, tuple(sorted(rows)), letters, died)
    columns = (Column(name, schema) for name, (schema, _) in found.items())
    texts = (f"{name} {row}" for name, (_, rows) in found.items() for row in rows)
    return Outcome(Struct(tuple(columns)), tuple(sorted(texts)), letters, died)


def _read(table: Table) -> tuple[Struct, list[str]]:
    schema = parse_schema(json.loads(table.schema().model_dump_json()))
    rows = table.scan().to_arrow().to_pylist()
    return schema, [text_of_row(row, schema) for row in rows]


def differences(ours: Outcome, genuine: Outcome) -> list[str]:
    """Say in what two outcomes differ; nothing if they do not."""
    mine, theirs = ours.columns, genuine.columns
    found = [
        f"column {path}: ours {mine.get(path)}, genuine {theirs.get(path)}"
        for path in sorted({*mine, *theirs})
        if mine.get(path) != theirs.get(path)
    ]
    if ours.died:
        found.append(f"ours died: {ours.died}")
    found += _only("row", ours.rows, genuine.rows)
    found += _only("dead letter", ours.dead, genuine.dead)
    return found


def text_of_row(row: Mapping[str, Any], schema: Struct) -> str:
    """Spell a row so that equal texts are equal values of equal types; nulls in structs go."""
    return _text(row, schema)


def _only(word: str, ours: Iterable[object], genuine: Iterable[object]) -> Iterator[str]:
    """List what one of the two sinks has alone, or more often."""
    mine, theirs = Counter(ours), Counter(genuine)
    yield from (f"{word} of ours alone: {one}" for one in (mine - theirs).elements())
    yield from (f"{word} of the genuine alone: {one}" for one in (theirs - mine).elements())


def _columns(kind: Type, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(kind, Struct):
        for column in kind.columns:
            name = f"{path}/{column.name}"
            word = "struct" if isinstance(column.type, Struct) else _word(column.type)
            yield name, f"{word} required" if column.required else word
            yield from _columns(column.type, name)
    elif isinstance(kind, List):
        yield f"{path}/element", _word(kind.element)
        yield from _columns(kind.element, f"{path}/element")
    elif isinstance(kind, Map):
        yield f"{path}/key", _word(kind.key)
        yield f"{path}/value", _word(kind.value)
        yield from _columns(kind.value, f"{path}/value")


def _word(kind: Type) -> str:
    return type(kind).__name__.lower() if isinstance(kind, Struct | List | Map) else str(kind)


def _text(value: Any, kind: Type) -> str:
    if value is None:
        return "null"
    if isinstance(kind, Struct):
        members = ((one.name, value.get(one.name), one.type) for one in kind.columns)
        parts = ((name, _text(item, of)) for name, item, of in members)
        found = sorted(f"{name}: {text}" for name, text in parts if text != "null")
        return f"{{{', '.join(found)}}}"
    if isinstance(kind, List):
        if not value and isinstance(kind.element, Struct):
            # PyIceberg reads null as an empty list here.
            return "null"
        return f"[{', '.join(_text(item, kind.element) for item in value)}]"
    if isinstance(kind, Map):
        pairs = value.items() if isinstance(value, Mapping) else value
        texts = (f"{_text(key, kind.key)}: {_text(item, kind.value)}" for key, item in pairs)
        return f"<{', '.join(sorted(texts))}>"
    return _single(value)


def _single(value: Any) -> str:
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo else value
        return moment.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)
