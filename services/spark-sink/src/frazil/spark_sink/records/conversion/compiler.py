"""Compile types of columns into functions that convert values for them."""

from typing import Any, NamedTuple

from frazil.contracts.columns import Policy
from frazil.spark_sink.records.conversion.leaves import PLAIN, leaf
from frazil.spark_sink.records.conversion.names import MemberNames
from frazil.spark_sink.records.conversion.nulling import Nulled
from frazil.spark_sink.records.conversion.rules import (
    ConversionRules,
    Leaf,
    Nested,
    Unfit,
    unfit,
)
from frazil.spark_sink.records.conversion.strict import strictly
from frazil.spark_sink.records.conversion.texts import string
from frazil.spark_sink.records.errors import MisfitError, StoppingMisfitError
from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.schema.types import List, Map, Path, Primitive, Struct, Type

NO_VALUE = "is required and has no value"
_TEXT = frozenset([str])


class _Spot(NamedTuple):
    """Where a value goes: a column, an element of a list, a value of a map.

    Values of the type `plain` stay as they are. The others are converted by `single`, or by
    `nested` if what they become depends on their schema too.
    """

    plain: type | None
    single: Leaf | None
    nested: Nested
    required: bool


# The rescued column is null, whatever a record has by its name.
_KEPT = _Spot(None, lambda _: None, string, required=False)

_NULLING = (Policy.NULL, Policy.RESCUE)


class Compiler:
    """Builds functions that know their paths, and add what they null to a list."""

    def __init__(self, rules: ConversionRules, nulled: list[Nulled]) -> None:
        self._rules = rules
        self._nulled = nulled

    def struct(self, kind: Struct, path: Path) -> Nested:
        """Look up each column by its name; fields without a column are ignored."""
        names = [column.name for column in kind.columns]
        kinds = [column.type for column in kind.columns]
        spots = [
            (at, *self._spot(column.type, (*path, column.name), column.required))
            for at, column in enumerate(kind.columns)
        ]
        if not path and self._rules.rescued in names:
            at = names.index(self._rules.rescued)
            spots[at] = (at, *_KEPT)
        folded = MemberNames(kind, path) if self._rules.ignore_case else None

        def convert(value: Any, schema: Schema | None) -> tuple[Any, ...]:
            if type(value) is not dict:
                raise unfit(value)
            fields = value if folded is None else folded.spelled(value)
            row = list(map(fields.get, names))
            at = 0
            try:
                for at, plain, single, nested, required in spots:
                    item = row[at]
                    if type(item) is plain:
                        continue
                    if item is None:
                        if required:
                            raise MisfitError((*path, names[at]), NO_VALUE)
                    elif single is not None:
                        row[at] = single(item)
                    else:
                        row[at] = nested(item, schema and _member(schema, names[at]))
            except Unfit as error:
                raise self._misfit((*path, names[at]), kinds[at], error) from None
            return tuple(row)

        return convert

    def _list(self, kind: List, path: Path) -> Nested:
        convert_element = self._element(kind.element, (*path, "element"), kind.required)
        plain = _plain_types(kind.element, kind.required)

        def convert(value: Any, schema: Schema | None) -> list[Any]:
            if type(value) is not list:
                raise unfit(value)
            if plain.issuperset(map(type, value)):
                return value
            element = schema and schema.element
            return [convert_element(item, element) for item in value]

        return convert

    def _map(self, kind: Map, path: Path) -> Nested:
        """Take maps, and structs by the names of those fields that have a value."""
        convert_key = self._element(kind.key, (*path, "key"), required=True)
        convert_value = self._element(kind.value, (*path, "value"), kind.required)
        plain = _plain_types(kind.value, kind.required)
        keys = _plain_types(kind.key, required=True)

        def convert(value: Any, schema: Schema | None) -> list[tuple[Any, Any]]:
            if type(value) is not dict:
                raise unfit(value)
            if schema is not None and schema.kind is Kind.STRUCT:
                value = {name: item for name, item in value.items() if item is not None}
            if not keys.issuperset(map(type, value)):
                # Of two keys that become the same, the last one counts.
                value = {convert_key(key, None): item for key, item in value.items()}
            if plain.issuperset(map(type, value.values())):
                return list(value.items())
            return [
                (key, convert_value(item, schema and _member(schema, key)))
                for key, item in value.items()
            ]

        return convert

    def _spot(self, kind: Type, path: Path, required: bool) -> _Spot:
        single = self._single(kind, path)
        nested = self._nested(kind, path) if single is None else _without_schema(single)
        if not required and self._rules.columns.policy(path) in _NULLING:
            single, nested = None, self._nulling(kind, nested, path)
        return _Spot(_plain(kind), single, nested, required)

    def _single(self, kind: Type, path: Path) -> Leaf | None:
        if not isinstance(kind, Primitive):
            return None
        if self._rules.columns.policy(path) is Policy.FAIL:
            return strictly(kind, leaf(kind))
        return None if kind.name == "string" else leaf(kind)

    def _nested(self, kind: Type, path: Path) -> Nested:
        if isinstance(kind, Struct):
            return self.struct(kind, path)
        if isinstance(kind, List):
            return self._list(kind, path)
        return self._map(kind, path) if isinstance(kind, Map) else string

    def _element(self, kind: Type, path: Path, required: bool) -> Nested:
        """Convert what a list or a map holds, null included."""
        spot = self._spot(kind, path, required)
        plain, nested = spot.plain, spot.nested

        def convert(value: Any, schema: Schema | None) -> Any:
            if type(value) is plain:
                return value
            if value is None:
                if required:
                    raise MisfitError(path, NO_VALUE)
                return None
            try:
                return nested(value, schema)
            except Unfit as error:
                raise self._misfit(path, kind, error) from None

        return convert

    def _nulling(self, kind: Type, convert: Nested, path: Path) -> Nested:
        """Put null for a value that does not fit; misfits inside of it are not this path's."""
        rescues = self._rules.columns.policy(path) is Policy.RESCUE

        def convert_or_null(value: Any, schema: Schema | None) -> Any:
            try:
                return convert(value, schema)
            except Unfit as error:
                self._nulled.append(Nulled(self._misfit(path, kind, error), value, rescues))
                return None

        return convert_or_null

    def _misfit(self, path: Path, kind: Type, error: Unfit) -> MisfitError:
        fails = self._rules.columns.policy(path) is Policy.FAIL
        raised = StoppingMisfitError if fails else MisfitError
        return raised(path, f"of type {kind} cannot hold {error}")


def _without_schema(single: Leaf) -> Nested:
    return lambda value, _: single(value)


def _plain(kind: Type) -> type | None:
    return PLAIN.get(kind.name) if isinstance(kind, Primitive) else None


def _plain_types(kind: Type, required: bool) -> frozenset[type]:
    """Return the types of values that a list or a map of them can be taken with as it is."""
    plain = _plain(kind)
    if plain is None:
        return frozenset()
    return frozenset([plain] if required else [plain, type(None)])


def _member(schema: Schema, name: Any) -> Schema | None:
    """Find the schema of a struct's field, or of a map's values."""
    if schema.kind is Kind.MAP:
        return schema.element
    fields = schema.fields
    for field in fields:
        if field.name == name:
            return field.schema
    lower = str(name).lower()
    return next((field.schema for field in fields if field.name.lower() == lower), None)
