"""Values into columns of other types, leniently as Kafka Connect's sinks, but never with a loss.

Numbers and their texts stand for each other, structures become JSON text, base64 becomes bytes;
numbers are days in a date and milliseconds in a timestamp. What cannot be kept is a fault, unless
the rules of the spot where it is say otherwise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
    VariantType,
)

from frazil.contracts.columns import Path, Policy
from frazil.spark_sink.expressions.shapes import converted, merged_all
from frazil.spark_sink.tables.conflicts import ANYWHERE, Converted, Spot, any_of
from frazil.spark_sink.tables.naming import grouped, name_key
from frazil.spark_sink.tables.single import single, text_of_value
from frazil.spark_sink.tables.strict import differs, differs_in_json


@dataclass(frozen=True, eq=False)
class Found:
    """What a record has for a column; `differ` tells where it has several values for it."""

    column: Column
    type: DataType
    differ: Column | None = None


Find = Callable[[StructField], Found]


def convert(column: Column, source: DataType, target: DataType, at: Spot = ANYWHERE) -> Converted:
    """Change a column of one type to another; where that cannot be, every value is a fault."""
    if isinstance(source, NullType):
        return Converted(fn.lit(None).cast(target))
    if fits(source, target):
        return Converted(column)
    if isinstance(target, VariantType):
        return Converted(fn.to_variant_object(column))
    if isinstance(source, VariantType) and at.rules.judges:
        return _of_json(column, target, at)
    if isinstance(target, StructType):
        return _to_struct(column, source, target, at)
    if isinstance(target, ArrayType):
        return _to_array(column, source, target, at)
    if isinstance(target, MapType):
        return _to_map(column, source, target, at)
    made = single(column, source, target)
    if at.policy is Policy.FAIL:
        return at.settled(made.column, differs(column, source, made.column, target), target)
    return made if made.failed is None else at.settled(made.column, made.failed, target)


def _of_json(column: Column, target: DataType, at: Spot) -> Converted:
    """Convert what was read as it is, for it may be anything; null in JSON is no value."""
    has_value = column.isNotNull() & ~fn.is_variant_null(column)
    if not isinstance(target, StructType | ArrayType | MapType):
        made = single(fn.try_variant_get(column, "$", "string"), StringType(), target)
        if at.policy is Policy.FAIL:
            wrong = has_value & differs_in_json(column, made.column, target)
            return at.settled(made.column, wrong, target)
        return made if made.failed is None else at.settled(made.column, made.failed, target)
    source: DataType = MapType(StringType(), VariantType())
    if isinstance(target, ArrayType):
        source = ArrayType(VariantType())
    held = fn.try_variant_get(column, "$", source.simpleString())
    made = convert(held, source, target, at)
    return made.told_by(at.settled(made.column, has_value & held.isNull(), target))


def fits(source: DataType, target: DataType) -> bool:
    """Tell whether every value of one type is one of the other as it stands.

    Comments on fields make types unequal; to take a struct apart for them costs more than to parse
    it.
    """
    if isinstance(source, StructType) and isinstance(target, StructType):
        return source.names == target.names and all(
            fits(one.dataType, other.dataType) and (other.nullable or not one.nullable)
            for one, other in zip(source.fields, target.fields, strict=True)
        )
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        nulls = target.containsNull or not source.containsNull
        return nulls and fits(source.elementType, target.elementType)
    if isinstance(source, MapType) and isinstance(target, MapType):
        nulls = target.valueContainsNull or not source.valueContainsNull
        return (
            nulls
            and fits(source.keyType, target.keyType)
            and fits(source.valueType, target.valueType)
        )
    return source == target


def _to_struct(column: Column, source: DataType, target: StructType, at: Spot) -> Converted:
    find = _member_of(column, source, target.fields, at)
    if find is None:
        return at.settled(fn.lit(None).cast(target), column.isNotNull(), target)
    return _whole(column, members(find, target.fields, at))


def _whole(column: Column, parts: dict[str, Converted]) -> Converted:
    struct = fn.struct(*(made.column.alias(name) for name, made in parts.items()))
    told = Converted(struct).told_by(*parts.values())
    return told.told_where(
        lambda where: column.isNotNull() & where, fn.when(column.isNotNull(), struct)
    )


def members(find: Find, fields: Sequence[StructField], at: Spot) -> dict[str, Converted]:
    return {field.name: _member(find(field), field, at.inside(field.name)) for field in fields}


def _member(found: Found, field: StructField, at: Spot) -> Converted:
    made = _required(convert(found.column, found.type, field.dataType, at), field)
    return replace(made, failed=any_of([made.failed, found.differ]))


def _required(made: Converted, field: StructField) -> Converted:
    """Let a required field fail that has no value, and still where a value in it was lost."""
    if field.nullable:
        return made
    inner = made.failed if isinstance(field.dataType, StructType | ArrayType | MapType) else None
    return replace(made, failed=any_of([made.column.isNull(), inner]))


def _member_of(
    column: Column, source: DataType, fields: Sequence[StructField], at: Spot
) -> Find | None:
    if isinstance(source, StructType):
        return field_of(column, source, fields, at)
    if isinstance(source, MapType) and isinstance(source.keyType, StringType):
        return lambda field: Found(column.getItem(field.name), source.valueType)
    return None


def field_of(column: Column, source: StructType, fields: Sequence[StructField], at: Spot) -> Find:
    """Tell how to find what a record has for a column, by whichever name is no other column's."""
    ignore_case = at.ignore_case
    groups = grouped(source.names, ignore_case=ignore_case)
    taken = {field.name for field in fields}
    held = {field.name: (column.getField(field.name), field.dataType) for field in source.fields}

    def find(field: StructField) -> Found:
        known = groups.get(name_key(field.name, ignore_case=ignore_case), ())
        return _one_of([held[one] for one in known if one == field.name or one not in taken])

    return find


def _one_of(values: list[tuple[Column, DataType]]) -> Found:
    """Return the value that a record has, of those under several names for the same."""
    if not values:
        return Found(fn.lit(None), NullType())
    if len(values) == 1:
        return Found(*values[0])
    kind = merged_all([kind for _, kind in values])
    columns = [converted(column, held, kind) for column, held in values]
    texts = fn.array(*(text_of_value(column, kind) for column in columns))
    differ = fn.size(fn.array_distinct(fn.array_compact(texts))) > 1
    return Found(fn.coalesce(*columns), kind, differ)


def _to_array(column: Column, source: DataType, target: ArrayType, at: Spot) -> Converted:
    if not isinstance(source, ArrayType):
        return at.settled(fn.lit(None).cast(target), column.isNotNull(), target)
    field = StructField("element", target.elementType, target.containsNull)

    def made(element: Column) -> Converted:
        one = convert(element, source.elementType, field.dataType, at.inside(field.name))
        return _required(one, field)

    return _each(column, made)


def _each(column: Column, made: Callable[[Column], Converted]) -> Converted:
    """Convert each element, and tell of a list what there is to tell of any of them."""
    whole = fn.transform(column, lambda element: made(element).column)
    told = made(fn.lit(None))

    def anywhere(tell: Callable[[Converted], Column | None]) -> Column:
        return fn.exists(column, lambda element: _said(tell(made(element))))

    def at(path: Path) -> Callable[[Converted], Column]:
        return lambda one: one.conflicts[path].where

    return Converted(
        whole,
        failed=None if told.failed is None else anywhere(lambda one: one.failed),
        conflicts={
            path: replace(one, where=anywhere(at(path))) for path, one in told.conflicts.items()
        },
    )


def _said(told: Column | None) -> Column:
    return fn.lit(False) if told is None else told


def _to_map(column: Column, source: DataType, target: MapType, at: Spot) -> Converted:
    if isinstance(source, StructType):
        column, source = _as_map(column, source, target.valueType)
    if not isinstance(source, MapType):
        return at.settled(fn.lit(None).cast(target), column.isNotNull(), target)
    key = StructField("key", target.keyType, nullable=False)
    value = StructField("value", target.valueType, target.valueContainsNull)
    kinds = (source.keyType, source.valueType)

    def made(entry: Column) -> Converted:
        pair = {
            field.name: _required(
                convert(entry.getField(field.name), kind, field.dataType, at.inside(field.name)),
                field,
            )
            for field, kind in zip((key, value), kinds, strict=True)
        }
        return _whole(entry, pair)

    each = _each(fn.map_entries(column), made)
    lost, whole = each.failed, fn.map_from_entries(each.column)
    # A key that became null would fail the batch and not the record.
    return replace(each, column=whole if lost is None else fn.when(~lost, whole))


def _as_map(column: Column, source: StructType, value: DataType) -> tuple[Column, DataType]:
    """Turn a struct into a map by its names; fields without a value are not in it."""
    if not source.fields:
        empty = fn.create_map().cast(MapType(StringType(), value))
        return fn.when(column.isNotNull(), empty), MapType(StringType(), value)
    kinds = {field.dataType for field in source.fields}
    kind = kinds.pop() if len(kinds) == 1 else StringType()
    pairs: list[Column] = []
    for field in source.fields:
        held = column.getField(field.name)
        text = held if field.dataType == kind else text_of_value(held, field.dataType)
        pairs += [fn.lit(field.name), text]
    whole = fn.map_filter(fn.create_map(*pairs), lambda _key, held: held.isNotNull())
    return fn.when(column.isNotNull(), whole), MapType(StringType(), kind)
