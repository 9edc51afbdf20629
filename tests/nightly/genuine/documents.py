"""What values of records are like: JSON, with schemas or without; made by chance."""

import base64
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_FEW = 0.1
_NAMES = ("a", "b", "c", "Name", "é", "n.d")
_TEXTS = ("", "x", "12", " 7", "1.5", "true", "2022-05-04T14:12:00Z", "Ünï", 'q"\\\n')
_CONNECT = "org.apache.kafka.connect.data."

Document = Mapping[str, Any]
Schema = Mapping[str, Any]
Maker = Callable[[random.Random], Any]
# Makes the bytes of a record by its number.
Documents = Callable[[random.Random, int], bytes]


def _texts(chance: random.Random) -> str:
    return chance.choice(_TEXTS)


def _integers(chance: random.Random) -> int:
    return chance.choice((0, 1, -5, 2**31, 2**53 + 1, 1_700_000_000_000))


def _narrow(chance: random.Random) -> int:
    return chance.randrange(-9, 9)


_KINDS: tuple[Maker, ...] = (
    _integers,
    lambda chance: chance.choice((0.0, 1.5, -2.25, 1e10, 1e-7)),
    lambda chance: chance.random() < 0.5,
    _texts,
    lambda chance: [chance.randrange(9) for _ in range(chance.randrange(1, 3))],
    lambda chance: [{"x": chance.randrange(9)}],
    lambda chance: {"x": chance.randrange(9), "y": _texts(chance)},
    lambda chance: {"in": {"deep": chance.random() < 0.5}},
)


def plain(chance: random.Random, tables: Sequence[str], *, wide: bool = True) -> Documents:
    """Make documents without schemas: a kind of value for each name, and a few odd ones.

    Numbers that are not `wide` have one type, whatever it is guessed from.
    """
    some = _KINDS if wide else (_narrow, *_KINDS[1:])
    kinds = {name: chance.choice(some) for name in _NAMES}
    # A text is what most columns refuse and some take.
    odd = _FEW if chance.random() < 0.3 else 0.0

    def document(chance: random.Random, number: int) -> bytes:
        found: dict[str, Any] = {"id": number, **_place(chance, tables)}
        for name, kind in kinds.items():
            if chance.random() < 0.8:
                found[name] = _texts(chance) if chance.random() < odd else kind(chance)
            elif chance.random() < 0.5:
                found[name] = None
        if chance.random() < _FEW:
            found["late"] = chance.choice(some)(chance) if odd else number
        return json.dumps(found, ensure_ascii=False).encode()

    return document


def _place(chance: random.Random, tables: Sequence[str]) -> dict[str, str]:
    """Name a table, or none that there is."""
    return {"to": chance.choice((*tables, "elsewhere"))} if tables else {}


@dataclass(frozen=True)
class _Declared:
    schema: Schema
    make: Maker


def _base64(chance: random.Random) -> str:
    return base64.b64encode(chance.choice((b"", b"ab", b"\x00\xff"))).decode()


def _logical(name: str, kind: str, **parameters: str) -> dict[str, Any]:
    more = {"parameters": parameters} if parameters else {}
    return {"type": kind, "name": _CONNECT + name, "version": 1, **more}


_LIST = {"type": "array", "items": {"type": "int64"}}
_COUNT = {"type": "int32", "optional": True}
_MAP = {"type": "map", "keys": {"type": "string"}, "values": _COUNT}
_INNER = {"type": "struct", "fields": [
    {"field": "x", "type": "int32", "optional": False},
    {"field": "y", "type": "string", "optional": True},
]}  # fmt: skip
_DECLARED: tuple[_Declared, ...] = (
    *(_Declared({"type": kind}, lambda chance: chance.randrange(-9, 9))
      for kind in ("int8", "int16", "int32")),
    _Declared({"type": "int64"}, _integers),
    *(_Declared({"type": kind}, lambda chance: chance.choice((0.0, 1.5, -2.25)))
      for kind in ("float", "double")),
    _Declared({"type": "boolean"}, lambda chance: chance.random() < 0.5),
    _Declared({"type": "string"}, _texts),
    _Declared({"type": "bytes"}, _base64),
    _Declared(_logical("Timestamp", "int64"),
              lambda chance: 1_700_000_000_000 + chance.randrange(9)),
    _Declared(_logical("Date", "int32"), lambda chance: 19_000 + chance.randrange(9)),
    _Declared(_logical("Time", "int32"), lambda chance: chance.randrange(86_400_000)),
    _Declared(_logical("Decimal", "bytes", scale="2"), lambda chance: base64.b64encode(
        chance.randrange(-30_000, 30_000).to_bytes(3, "big", signed=True)).decode()),
    _Declared(_LIST, lambda chance: [chance.randrange(9) for _ in range(chance.randrange(3))]),
    _Declared(_MAP, lambda chance: {chance.choice("kl"): chance.choice((1, None))}),
    _Declared(_INNER, lambda chance: {"x": chance.randrange(9), "y": _texts(chance)}),
)  # fmt: skip
_ID: Schema = {"field": "id", "type": "int32", "optional": False}
_LATE: Schema = {"field": "late", "type": "string", "optional": True}


def declared(chance: random.Random, tables: Sequence[str]) -> Documents:
    """Make documents with a schema; that of later records may have more, or a wider type."""
    kinds = {name: chance.choice(_DECLARED) for name in _NAMES}
    fields: list[Schema] = [
        _ID,
        *([{"field": "to", "type": "string", "optional": False}] if tables else []),
    ]
    for name, kind in kinds.items():
        # The genuine converter refuses each schema with a default of a struct.
        may_default = kind.schema is not _INNER and chance.random() < _FEW
        default = {"default": kind.make(chance)} if may_default else {}
        fields.append({"field": name, **kind.schema, "optional": chance.random() < 0.8, **default})
    later = [{**fields[0], "type": chance.choice(("int32", "int64"))}, *fields[1:]]
    if chance.random() < 0.5:
        later.append(_LATE)
    turn = chance.choice((20, 1000))

    def document(chance: random.Random, number: int) -> bytes:
        found = {"id": number, **_place(chance, tables)}
        for field in fields:
            name = field["field"]
            if name in kinds:
                is_null = field["optional"] and chance.random() < 0.2
                found[name] = None if is_null else kinds[name].make(chance)
        shown = later if number >= turn else fields
        if shown[-1] is _LATE:
            found["late"] = chance.choice((None, "l"))
        schema = {"type": "struct", "optional": False, "fields": shown}
        return json.dumps({"schema": schema, "payload": found}, ensure_ascii=False).encode()

    return document


def text(chance: random.Random, tables: Sequence[str]) -> Documents:
    """Make values that are no documents."""
    del chance, tables
    return lambda chance, number: f"{number} {_texts(chance)}".encode()


BROKEN = (b"{", b"", b"[1]", b"5", b'"text"', b"null", b"{}", b"\xff", b'{"id": NaN}')
