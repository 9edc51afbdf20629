"""Classes for typed decoding of JSON, compiled from a table's schema.

They take what is of a column's own type. Names of columns may be anything but for quotes,
backslashes and control characters.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type
from frazil.spark_sink.tasks.field_plan import AS_IS, FieldPlan, NotServedError

Decode = Callable[[Any], Any]

REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError)
"""What a decoder raises: TypeError for a tombstone."""

STRING = Primitive("string")
_ANY = str | int | float | bool | list[Any] | dict[str, Any]
_LONG = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
_TIME = str | _LONG
_NOTHING = Annotated[int, Meta(ge=1, le=0)]
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


def strict_decoder(schema: Struct, plan: FieldPlan = AS_IS, *, lenient: bool) -> Decode:
    """Compile a decoder that refuses unknown fields.

    With `lenient`, columns of other types are decoded as they are, and texts in maps too.
    """
    types = _Types(lenient=lenient, forbid=True)
    return msgspec.json.Decoder(types.record(schema, plan)).decode


def known_fields_decoder(schema: Struct, plan: FieldPlan = AS_IS, *, lenient: bool) -> Decode:
    """Compile a decoder that ignores unknown fields, but refuses what is no JSON in them.

    Typed decoding skips these without a look at numbers out of range and broken UTF-8.
    """
    types = _Types(lenient=lenient, forbid=False)
    check = msgspec.json.Decoder().decode
    decode = msgspec.json.Decoder(types.record(schema, plan)).decode

    def decode_known(value: Any) -> Any:
        check(value)
        return decode(value)

    return decode_known


class _Types:
    def __init__(self, *, lenient: bool, forbid: bool) -> None:
        self._lenient = lenient
        self._forbid = forbid

    def record(self, schema: Struct, plan: FieldPlan) -> Any:
        """Define the class of a record: first the columns that it fills, in their order."""
        others: list[tuple[str, Any]] = [(name, Any) for name in plan.ignored()]
        others += [(name, _NOTHING) for name in plan.forbidden()]
        return self._define(plan.sources(schema), others)

    def _define(self, columns: Mapping[str, Column], others: Iterable[tuple[str, Any]] = ()) -> Any:
        if not columns:
            raise NotServedError("a struct without columns")
        fields: list[Any] = []
        for column in columns.values():
            value = self._value(column.type)
            name = f"f{len(fields)}"
            fields.append((name, value) if column.required else (name, value | None, None))
        fields += [(f"f{at}", kind, None) for at, (_, kind) in enumerate(others, len(fields))]
        names = [*columns, *(name for name, _ in others)]
        return msgspec.defstruct(
            "Fields",
            fields,
            rename={f"f{at}": name for at, name in enumerate(names)},
            kw_only=True,
            gc=False,
            forbid_unknown_fields=self._forbid,
        )

    def _value(self, kind: Type) -> Any:
        if isinstance(kind, Struct):
            return self._define({column.name: column for column in kind.columns})
        if isinstance(kind, List):
            element = self._value(kind.element)
            return list[element if kind.required else element | None]  # type: ignore[misc]
        if isinstance(kind, Map) and kind.key == STRING:
            texts = self._lenient and kind.value == STRING
            value = _ANY if texts else self._value(kind.value)
            return dict[str, value if kind.required else value | None]  # type: ignore[misc]
        if isinstance(kind, Primitive) and kind.name in _TYPES:
            return _TYPES[kind.name]
        if isinstance(kind, Primitive) and kind.name == "fixed":
            return Annotated[bytes, Meta(min_length=kind.length, max_length=kind.length)]
        if not self._lenient:
            raise NotServedError(f"columns of type {kind} need their plain conversion")
        return dict[str, Any] if isinstance(kind, Map) else _ANY
