"""Classes for typed decoding of JSON, compiled from a table's schema.

They take what is of a column's own type. Names of columns may be anything but for quotes,
backslashes and control characters.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from frazil.spark_sink.records.schema.types import List, Map, Path, Primitive, Struct, Type

Decode = Callable[[Any], Any]


class NotServedError(ValueError):
    """Typed decoding cannot serve a table."""


REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError)
"""What a decoder raises: TypeError for a tombstone."""

decode_any: Decode = msgspec.json.Decoder().decode
"""Decodes a document as it is."""

STRING = Primitive("string")
_ANY = str | int | float | bool | list[Any] | dict[str, Any]
_LONG = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
_TIME = str | _LONG
_NOTHING = Annotated[int, Meta(ge=1, le=0)]
EMPTY = None | list[_NOTHING] | dict[str, _NOTHING]
"""What asks for no column."""

_TYPES: dict[str, Any] = {
    "boolean": bool,
    "int": Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)],
    "long": _LONG,
    "float": float,
    "double": float,
    "string": str,
    "binary": bytes,
    "date": _TIME,
    "timestamp": _TIME,
    "timestamptz": _TIME,
    "timestamp_ns": _TIME,
    "timestamptz_ns": _TIME,
}


def is_unusual(name: str) -> bool:
    """Say whether typed decoding cannot have a field of this name."""
    try:
        msgspec.defstruct("Fields", [("f", Any)], rename={"f": name})
    except ValueError:
        return True
    return False


def strict_decoder(schema: Struct, others: Mapping[Path, Any], *, lenient: bool) -> Decode:
    """Compile a decoder that refuses unknown fields but for others, which have types.

    With `lenient`, columns of other types are decoded as they are, and texts in maps too.
    """
    types = _Types(others, lenient=lenient, forbid=True)
    return msgspec.json.Decoder(types.struct(schema)).decode


def known_fields_decoder(schema: Struct, *, lenient: bool) -> Decode:
    """Compile a decoder that ignores unknown fields, but refuses what is no JSON in them.

    Typed decoding skips these without a look at numbers out of range and broken UTF-8.
    """
    types = _Types({}, lenient=lenient, forbid=False)
    decode = msgspec.json.Decoder(types.struct(schema)).decode

    def decode_known(value: Any) -> Any:
        decode_any(value)
        return decode(value)

    return decode_known


class _Types:
    def __init__(self, others: Mapping[Path, Any], *, lenient: bool, forbid: bool) -> None:
        self._others = others
        self._lenient = lenient
        self._forbid = forbid

    def struct(self, struct: Struct, path: Path = ()) -> Any:
        """Define the class of a record, or of a struct in it: first the columns, in their order."""
        if not struct.columns:
            raise NotServedError("a struct without columns")
        fields: list[Any] = []
        for column in struct.columns:
            kind = self._value(column.type, (*path, column.name))
            field = f"f{len(fields)}"
            fields.append((field, kind) if column.required else (field, kind | None, None))
        others = {at[-1]: kind for at, kind in self._others.items() if at[:-1] == path}
        fields += [(f"f{at}", kind, None) for at, kind in enumerate(others.values(), len(fields))]
        names = [*(column.name for column in struct.columns), *others]
        return msgspec.defstruct(
            "Fields",
            fields,
            rename={f"f{at}": name for at, name in enumerate(names)},
            kw_only=True,
            gc=False,
            forbid_unknown_fields=self._forbid,
        )

    def _value(self, kind: Type, path: Path) -> Any:
        if isinstance(kind, Struct):
            return self.struct(kind, path)
        if isinstance(kind, List):
            element = self._value(kind.element, (*path, "element"))
            return list[element if kind.required else element | None]  # type: ignore[misc]
        if isinstance(kind, Map) and kind.key == STRING:
            texts = self._lenient and kind.value == STRING
            value = _ANY if texts else self._value(kind.value, (*path, "value"))
            return dict[str, value if kind.required else value | None]  # type: ignore[misc]
        if isinstance(kind, Primitive) and kind.name in _TYPES:
            return _TYPES[kind.name]
        if isinstance(kind, Primitive) and kind.name == "fixed":
            return Annotated[bytes, Meta(min_length=kind.length, max_length=kind.length)]
        if not self._lenient:
            raise NotServedError(f"columns of type {kind} need their plain conversion")
        return dict[str, Any] if isinstance(kind, Map) else _ANY
