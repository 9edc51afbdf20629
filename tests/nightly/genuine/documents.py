"""What values of records are like: JSON, with schemas or without; made by chance."""

import base64
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

import pyarrow as pa

_FEW = 0.1
_NAMES = ("a", "b", "c", "Name", "é", "n.d")
_TEXTS = ("", "x", "12", " 7", "1.5", "true", "2022-05-04T14:12:00Z", "Ünï", 'q"\\\n')
_CONNECT = "org.apache.kafka.connect.data."

Schema = Mapping[str, Any]
Maker = Callable[[random.Random], Any]


def _texts(chance: random.Random) -> str:
    return chance.choice(_TEXTS)


def _moments(chance: random.Random) -> str:
    return f"2022-05-{chance.randrange(10, 30)}T14:12:00.{chance.randrange(100, 999)}Z"


def _integers(chance: random.Random) -> int:
    return chance.choice((0, 1, -5, 2**31, 2**53 + 1, 1_700_000_000_000))


def _narrow(chance: random.Random) -> int:
    return chance.randrange(-9, 9)


class _Kind(NamedTuple):
    """Values of one kind, and types of columns that hold all of them."""

    make: Maker
    columns: Sequence[pa.DataType]


_TEXT, _LONG, _DOUBLE, _FLOAT = pa.string(), pa.int64(), pa.float64(), pa.float32()
_ZONED, _LOCAL = pa.timestamp("us", "UTC"), pa.timestamp("us")
_NARROW = _Kind(
    _narrow, (pa.int32(), _LONG, _FLOAT, pa.decimal128(9, 3), _TEXT, _ZONED, pa.date32())
)
_TRUTH = _Kind(lambda chance: chance.random() < 0.5, (pa.bool_(), _TEXT))
_KINDS: tuple[_Kind, ...] = (
    _Kind(_integers, (_LONG, _DOUBLE, pa.decimal128(30, 2), _TEXT)),
    _Kind(lambda chance: 1_700_000_000_000 + chance.randrange(9999), (_ZONED, _LOCAL, _TEXT)),
    _Kind(
        lambda chance: chance.choice((0.0, 1.5, -2.25, 1e10, 1e-7)),
        (_DOUBLE, _FLOAT, _TEXT, pa.decimal128(30, 8)),
    ),
    _TRUTH,
    _Kind(_texts, (_TEXT,)),
    _Kind(_moments, (_ZONED, _LOCAL, _TEXT)),
    _Kind(lambda chance: f"2022-05-{chance.randrange(10, 30)}", (pa.date32(), _TEXT)),
    _Kind(lambda chance: f"14:{chance.randrange(10, 60)}:05.25", (pa.time64("us"), _TEXT)),
    _Kind(lambda chance: str(UUID(int=chance.getrandbits(128))), (pa.uuid(), _TEXT)),
    _Kind(lambda chance: chance.choice(("7", "-12", "0")), (pa.int32(), _LONG, _DOUBLE, _FLOAT)),
    _Kind(lambda chance: chance.choice(("7", "-1.25", "1e3")), (_DOUBLE, pa.decimal128(9, 2))),
    _Kind(
        lambda chance: [chance.randrange(9) for _ in range(chance.randrange(1, 3))],
        (pa.list_(_LONG), pa.list_(_DOUBLE), pa.list_(_TEXT), _TEXT),
    ),
    _Kind(
        lambda chance: [{"x": chance.randrange(9)}],
        (pa.list_(pa.struct([("x", _DOUBLE)])), pa.list_(_TEXT), _TEXT),
    ),
    _Kind(
        lambda chance: {"x": chance.randrange(9), "y": _texts(chance)},
        (pa.struct([("y", _TEXT), ("z", _LONG)]), pa.map_(_TEXT, _TEXT), _TEXT),
    ),
    _Kind(
        lambda chance: {"in": {"deep": chance.random() < 0.5}},
        (
            pa.struct([("in", pa.struct([("deep", _TEXT)]))]),
            pa.map_(_TEXT, pa.map_(_TEXT, pa.bool_())),
            _TEXT,
        ),
    ),
)


@dataclass(frozen=True)
class Documents:
    """Makes the bytes of a record by its number; `columns` are those that a table could have."""

    make: Callable[[random.Random, int], bytes]
    columns: Mapping[str, pa.DataType] = field(default_factory=dict)


def plain(chance: random.Random, tables: Sequence[str], *, wide: bool = True) -> Documents:
    """Make documents without schemas: a kind of value for each name, and a few odd ones.

    Numbers that are not `wide` have one type, whatever it is guessed from.
    """
    some = _KINDS if wide else (_NARROW, *_KINDS[2:])
    kinds = {name: chance.choice(some) for name in _NAMES}
    # A text is what most columns refuse and some take; the genuine sink takes each for a boolean.
    odd = _FEW if chance.random() < 0.3 else 0.0
    respelled = _FEW if chance.random() < 0.3 else 0.0

    def document(chance: random.Random, number: int) -> bytes:
        found: dict[str, Any] = {"id": number, **_place(chance, tables)}
        for lower, kind in kinds.items():
            name = lower.swapcase() if chance.random() < respelled else lower
            if chance.random() < 0.8:
                is_odd = chance.random() < odd and kind is not _TRUTH
                found[name] = _texts(chance) if is_odd else kind.make(chance)
            elif chance.random() < 0.5:
                found[name] = None
        if chance.random() < _FEW:
            found["late"] = _texts(chance) if odd else number
        return json.dumps(found, ensure_ascii=False).encode()

    columns = {name: chance.choice(kind.columns) for name, kind in kinds.items()}
    return Documents(document, {"id": pa.int32(), "more": _TEXT, **columns})


def _place(chance: random.Random, tables: Sequence[str]) -> dict[str, str]:
    return {"to": chance.choice(tables)} if tables else {}


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
_DEEP = {"type": "struct", "fields": [{"field": "in", **_INNER, "optional": True}]}
_DECLARED: tuple[_Declared, ...] = (
    *(_Declared({"type": kind}, lambda chance: chance.randrange(-9, 9))
      for kind in ("int8", "int16", "int32")),
    _Declared({"type": "int64"}, _integers),
    *(_Declared({"type": kind}, lambda chance: chance.choice((0.0, 1.5, -2.25)))
      for kind in ("float", "double")),
    _Declared({"type": "boolean"}, lambda chance: chance.random() < 0.5),
    _Declared({"type": "string"}, _texts),
    _Declared(
        {"type": "string", "name": "uuid"}, lambda chance: str(UUID(int=chance.getrandbits(128)))
    ),
    _Declared({"type": "bytes"}, _base64),
    _Declared(_logical("Timestamp", "int64"),
              lambda chance: 1_700_000_000_000 + chance.randrange(9)),
    _Declared(_logical("Date", "int32"), lambda chance: 19_000 + chance.randrange(9)),
    _Declared(_logical("Time", "int32"), lambda chance: chance.randrange(86_400_000)),
    _Declared(_logical("Decimal", "bytes", scale="2"), lambda chance: base64.b64encode(
        chance.randrange(-30_000, 30_000).to_bytes(3, "big", signed=True)).decode()),
    _Declared(_LIST, lambda chance: [chance.randrange(9) for _ in range(chance.randrange(3))]),
    _Declared(_MAP, lambda chance: {chance.choice("kl"): chance.choice((1, None))}),
    _Declared({"type": "array", "items": _INNER}, lambda chance: [{"x": chance.randrange(9)}]),
    _Declared(_DEEP, lambda chance: {"in": {"x": chance.randrange(9)}}),
    _Declared(_INNER, lambda chance: {"x": chance.randrange(9), "y": _texts(chance)}),
)  # fmt: skip
_ID: Schema = {"field": "id", "type": "int32", "optional": False}
_LATE: Schema = {"field": "late", "type": "string", "optional": True}


def _with_more(field: Schema) -> Schema:
    """Add a field to a struct."""
    if field["type"] != "struct":
        return field
    return {**field, "fields": [*field["fields"], _LATE]}


def declared(chance: random.Random, tables: Sequence[str]) -> Documents:
    """Make documents with a schema; that of later records may have more, or a wider type."""
    kinds = {name: chance.choice(_DECLARED) for name in _NAMES}
    fields: list[Schema] = [
        _ID,
        *([{"field": "to", "type": "string", "optional": False}] if tables else []),
    ]
    for name, kind in kinds.items():
        # The genuine converter refuses each schema in which a struct has a default.
        may_default = "struct" not in str(kind.schema) and chance.random() < _FEW
        default = {"default": kind.make(chance)} if may_default else {}
        fields.append({"field": name, **kind.schema, "optional": chance.random() < 0.8, **default})
    later = [{**fields[0], "type": chance.choice(("int32", "int64"))}, *fields[1:]]
    if chance.random() < 0.5:
        later = [_with_more(one) for one in later]
    if chance.random() < 0.5:
        later.append(_LATE)
    turn = chance.choice((20, 1000))

    def document(chance: random.Random, number: int) -> bytes:
        found = {"id": number, **_place(chance, tables)}
        for one in fields:
            name = one["field"]
            if name in kinds:
                is_null = one["optional"] and chance.random() < 0.2
                found[name] = None if is_null else kinds[name].make(chance)
        shown = later if number >= turn else fields
        if shown[-1] is _LATE:
            found["late"] = chance.choice((None, "l"))
        schema = {"type": "struct", "optional": False, "fields": shown}
        return json.dumps({"schema": schema, "payload": found}, ensure_ascii=False).encode()

    return Documents(document)


def text(chance: random.Random, tables: Sequence[str]) -> Documents:
    """Make values that are no documents."""
    del chance, tables
    return Documents(lambda chance, number: f"{number} {_texts(chance)}".encode())


def eight_bytes(chance: random.Random, tables: Sequence[str]) -> Documents:
    """Make values of eight bytes, which are a number whatever they are."""
    del chance, tables
    return Documents(lambda chance, number: bytes((64, number)) + chance.randbytes(6))


BROKEN = (b"{", b"", b"[1]", b"5", b'"text"', b"null", b"{}", b"\xff", b'{"id": NaN}')
