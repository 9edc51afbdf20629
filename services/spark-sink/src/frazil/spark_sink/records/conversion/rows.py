"""Compile a table's schema into a function that turns values into rows."""

from collections.abc import Callable
from typing import Any

from frazil.contracts.columns import Policy
from frazil.spark_sink.records.conversion.leaves import PLAIN, leaf
from frazil.spark_sink.records.conversion.names import MemberNames
from frazil.spark_sink.records.conversion.nulling import Nulled, NulledRow, rescued_json
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

RowConverter = Callable[[Any, Schema | None], tuple[Any, ...]]
NO_VALUE = "is required and has no value"
_TEXT = frozenset([str])


def row_converter(schema: Struct, rules: ConversionRules) -> RowConverter:
    """Return a function of a record's value and its schema; it raises MisfitError.

    A row has the columns' order. It is a NulledRow where a policy put null for a value. A converter
    serves one thread at a time.
    """
    compiler = _Compiler(rules)
    convert = compiler.struct_converter(schema, ())
    finish = _finish(schema, rules)

    def row(value: Any, value_schema: Schema | None = None) -> tuple[Any, ...]:
        try:
            values: tuple[Any, ...] = convert(value, value_schema)
            return finish(values, tuple(compiler.nulled)) if compiler.nulled else values
        except Unfit as error:
            raise MisfitError((), f"a record that is {error} cannot be a row") from None
        finally:
            compiler.nulled.clear()

    return row


def _finish(
    schema: Struct, rules: ConversionRules
) -> Callable[[tuple[Any, ...], tuple[Nulled, ...]], tuple[Any, ...]]:
    """Keep what was nulled in the rescued column, or report it if the table has none."""
    names = [column.name for column in schema.columns]
    if rules.rescued not in names:
        return NulledRow
    at = names.index(rules.rescued)

    def rescue(values: tuple[Any, ...], nulled: tuple[Nulled, ...]) -> tuple[Any, ...]:
        return (*values[:at], rescued_json(nulled), *values[at + 1 :])

    return rescue


class _Compiler:
    """Builds converters that know their paths, and collects what they null."""

    def __init__(self, rules: ConversionRules) -> None:
        self._rules = rules
        self.nulled: list[Nulled] = []

    def struct_converter(self, kind: Struct, path: Path) -> Nested:
        """Look up each column by its name; fields without a column are ignored."""
        columns = [
            (one.name, *self._spot(one.type, (*path, one.name), one.required), one.required)
            for one in kind.columns
        ]
        rescued = self._rules.rescued if not path else None
        columns = [_kept(column) if column[0] == rescued else column for column in columns]
        kinds = {one.name: one.type for one in kind.columns}
        names = MemberNames(kind, path) if self._rules.ignore_case else None

        def convert(value: Any, schema: Schema | None) -> tuple[Any, ...]:
            if type(value) is not dict:
                raise unfit(value)
            get = value.get if names is None else names.spelled(value).get
            row: list[Any] = []
            append = row.append
            name = ""
            try:
                for name, plain, single, nested, required in columns:
                    item = get(name)
                    if type(item) is plain:
                        append(item)
                    elif item is None:
                        if required:
                            raise MisfitError((*path, name), NO_VALUE)
                        append(None)
                    elif single is not None:
                        append(single(item))
                    else:
                        append(nested(item, schema and _member(schema, name)))
            except Unfit as error:
                raise self._misfit((*path, name), kinds[name], error) from None
            return tuple(row)

        return convert

    def list_converter(self, kind: List, path: Path) -> Nested:
        inner = (*path, "element")
        convert_one = self._element(kind.element, inner, kind.required)
        plain = _plain_types(kind.element, required=kind.required)

        def convert(value: Any, schema: Schema | None) -> list[Any]:
            if type(value) is not list:
                raise unfit(value)
            if plain.issuperset(map(type, value)):
                return value
            element = schema and schema.element
            return [convert_one(item, element) for item in value]

        return convert

    def map_converter(self, kind: Map, path: Path) -> Nested:
        """Take maps, and structs by the names of their fields."""
        convert_key = self._element(kind.key, (*path, "key"), required=True)
        convert_value = self._element(kind.value, (*path, "value"), kind.required)
        plain = _plain_types(kind.value, required=kind.required)
        text_keys = kind.key == Primitive("string")

        def convert(value: Any, schema: Schema | None) -> list[tuple[Any, Any]]:
            if type(value) is not dict:
                raise unfit(value)
            as_struct = schema is not None and schema.kind is Kind.STRUCT
            if (
                text_keys
                and not as_struct
                and plain.issuperset(map(type, value.values()))
                and _TEXT.issuperset(map(type, value))
            ):
                return list(value.items())
            # Of two keys that become the same, the last one counts.
            return list(
                {
                    convert_key(key, schema and schema.key): convert_value(
                        item, schema and _member(schema, key)
                    )
                    for key, item in value.items()
                    if not (as_struct and item is None)
                }.items()
            )

        return convert

    def _spot(
        self, kind: Type, path: Path, required: bool
    ) -> tuple[type | None, Leaf | None, Nested]:
        """Return the Python type that needs no conversion, and the conversion of all others."""
        single, nested = self._converters(kind, path)
        if not required and self._rules.columns.policy(path) is Policy.NULL:
            nested = self._nulling(kind, nested, path)
            single = None
        return PLAIN.get(kind.name) if isinstance(kind, Primitive) else None, single, nested

    def _converters(self, kind: Type, path: Path) -> tuple[Leaf | None, Nested]:
        if isinstance(kind, Struct):
            return None, self.struct_converter(kind, path)
        if isinstance(kind, List):
            return None, self.list_converter(kind, path)
        if isinstance(kind, Map):
            return None, self.map_converter(kind, path)
        strict = self._rules.columns.policy(path) is Policy.FAIL
        if kind.name == "string" and not strict:
            return None, string
        single = leaf(kind) if kind.name != "string" else string
        single = strictly(kind, single) if strict else single
        return single, lambda value, _: single(value)

    def _element(self, kind: Type, path: Path, required: bool) -> Nested:
        """Convert what a list or a map holds, null included."""
        plain, _, nested = self._spot(kind, path, required)

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
        def convert_or_null(value: Any, schema: Schema | None) -> Any:
            try:
                return convert(value, schema)
            except Unfit as error:
                self.nulled.append(Nulled(self._misfit(path, kind, error), value))
                return None

        return convert_or_null

    def _misfit(self, path: Path, kind: Type, error: Unfit) -> MisfitError:
        fails = self._rules.columns.policy(path) is Policy.FAIL
        raised = StoppingMisfitError if fails else MisfitError
        return raised(path, f"of type {kind} cannot hold {error}")


def _kept(column: tuple[Any, ...]) -> tuple[Any, ...]:
    """Let the rescued column be null whatever a record has by its name."""
    return (column[0], None, lambda _: None, column[3], False)


def _plain_types(kind: Type, *, required: bool) -> frozenset[type]:
    plain = PLAIN.get(kind.name) if isinstance(kind, Primitive) else None
    if plain is None:
        return frozenset()
    return frozenset([plain] if required else [plain, type(None)])


def _member(schema: Schema, name: str) -> Schema | None:
    """Find the schema of a struct's field, or of a map's values."""
    if schema.kind is Kind.MAP:
        return schema.element
    fields = schema.fields
    for one in fields:
        if one.name == name:
            return one.schema
    return next((one.schema for one in fields if one.name.lower() == name.lower()), None)
