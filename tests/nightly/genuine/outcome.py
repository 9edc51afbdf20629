"""What a sink made of a case, in a form that two sinks can be compared in."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from pyiceberg.table import Table
from tests.nightly.genuine.case import Case

from frazil.spark_sink.records.schema.types import List, Map, Struct, Type, parse_schema


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


# How our side does a case; the genuine one is a `Peer`.
Sink = Callable[[Case], Outcome]


def outcome_of(
    schema: Struct,
    rows: Iterable[Mapping[str, Any]],
    dead: Iterable[DeadLetter] = (),
    died: str = "",
) -> Outcome:
    """Describe rows of a table; those of maps may be mappings or pairs, as Arrow has them."""
    texts = sorted(text_of_row(row, schema) for row in rows)
    return Outcome(schema, tuple(texts), tuple(sorted(dead)), died)


def outcome_of_table(table: Table, dead: Iterable[DeadLetter] = (), died: str = "") -> Outcome:
    """Read a table as it is now."""
    schema = parse_schema(json.loads(table.schema().model_dump_json()))
    return outcome_of(schema, table.scan().to_arrow().to_pylist(), dead, died)


def differences(ours: Outcome, genuine: Outcome) -> list[str]:
    """Say in what two outcomes differ; nothing if they do not."""
    mine, theirs = ours.columns, genuine.columns
    found = [
        f"column {path}: ours {mine.get(path)}, genuine {theirs.get(path)}"
        for path in sorted({*mine, *theirs})
        if mine.get(path) != theirs.get(path)
    ]
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
        texts = (f"{name}: {_text(item, of)}" for name, item, of in members if item is not None)
        return f"{{{', '.join(sorted(texts))}}}"
    if isinstance(kind, List):
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
