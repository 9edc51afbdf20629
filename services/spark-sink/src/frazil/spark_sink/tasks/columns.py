"""Values to Arrow, child by child: `pa.array` of nested Python objects is slow."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, partial
from itertools import accumulate, chain, islice
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type
from frazil.spark_sink.tasks.arrow_types import arrow_schema, arrow_type

Row = tuple[Any, ...]
Builder = Callable[[Sequence[Any]], pa.Array]

_ZEROS: dict[str, Any] = {
    "boolean": False,
    "string": "",
    "binary": b"",
    "uuid": bytes(16),
    "variant": (b"", b""),
}


class OddValuesError(Exception):
    """Values at these positions of a column cannot be converted in bulk."""

    def __init__(self, positions: Collection[int]) -> None:
        super().__init__(f"{len(positions)} values cannot be converted in bulk")
        self.positions = positions


class Forms(NamedTuple):
    """How Python objects hold values that are not null.

    `fields` lists a struct's values in the order of its columns, `keys` and `values` list those of
    a map. `leaf` compiles the builder of a type that is not built child by child, which are all
    primitive ones, and returns None for others.
    """

    fields: Callable[[Any], Sequence[Any]]
    keys: Callable[[Any], Iterable[Any]]
    values: Callable[[Any], Iterable[Any]]
    leaf: Callable[[Type], Builder | None]


def batch_of(rows: Sequence[Row], schema: Struct) -> pa.RecordBatch:
    """Make a batch of rows, each a tuple of values in the order of the table's columns."""
    return _row_batch(schema)(rows)


def builder(kind: Type, forms: Forms) -> Builder:
    """Compile a function that makes an array of a column's values."""
    leaf = forms.leaf(kind)
    if leaf is not None:
        return leaf
    if isinstance(kind, Struct):
        return _struct_builder(kind, forms)
    if isinstance(kind, List):
        return _list_builder(kind, forms)
    if isinstance(kind, Map):
        return _map_builder(kind, forms)
    raise TypeError(f"there are no arrays of type {kind}")


def transpose(rows: Sequence[Sequence[Any]], width: int) -> Sequence[Sequence[Any]]:
    """Turn rows into columns; what some rows have beyond the columns is left out."""
    return list(islice(zip(*rows, strict=False), width)) if rows else [()] * width


@lru_cache(maxsize=256)
def _row_batch(schema: Struct) -> Callable[[Sequence[Row]], pa.RecordBatch]:
    builders = [builder(column.type, ROW_FORMS) for column in schema.columns]
    target = arrow_schema(schema)

    def build(rows: Sequence[Row]) -> pa.RecordBatch:
        columns = transpose(rows, len(builders))
        arrays = [array(values) for array, values in zip(builders, columns, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=target)

    return build


def _struct_builder(kind: Struct, forms: Forms) -> Builder:
    builders = [builder(column.type, forms) for column in kind.columns]
    fields, fields_of = list(arrow_type(kind)), forms.fields
    absent = (None,) * len(fields)
    has_required = any(column.required for column in kind.columns)

    def children(rows: Sequence[Sequence[Any]]) -> list[pa.Array]:
        columns = transpose(rows, len(builders))
        return [array(values) for array, values in zip(builders, columns, strict=True)]

    def build(values: Sequence[Any]) -> pa.Array:
        if all(values):  # no struct is false, as each has columns
            return pa.StructArray.from_arrays(children(list(map(fields_of, values))), fields=fields)
        if has_required:
            arrays = _padded(children, fields_of, values, kind)
        else:
            arrays = children([fields_of(value) if value else absent for value in values])
        nulls = pa.array([value is None for value in values])
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=nulls)

    return build


def _padded(
    children: Callable[[Sequence[Sequence[Any]]], list[pa.Array]],
    fields_of: Callable[[Any], Sequence[Any]],
    values: Sequence[Any],
    kind: Struct,
) -> list[pa.Array]:
    """Make the children of structs; where one is null, they get zeros, not nulls.

    A Parquet writer refuses nulls in a required column, inside a null struct too.
    """
    present = [position for position, value in enumerate(values) if value is not None]
    try:
        arrays = children([fields_of(values[position]) for position in present])
    except OddValuesError as error:
        raise OddValuesError([present[at] for at in error.positions]) from None
    places = [len(present)] * len(values)
    for place, position in enumerate(present):
        places[position] = place
    indices = pa.array(places, pa.int32())
    zeros = batch_of([_zero(kind)], kind).columns
    return [
        pa.concat_arrays([array, zero]).take(indices)
        for array, zero in zip(arrays, zeros, strict=True)
    ]


def _zero(kind: Type) -> Any:
    if isinstance(kind, Struct):
        return tuple(_zero(column.type) for column in kind.columns)
    if isinstance(kind, List | Map):
        return []
    return bytes(kind.length) if kind.name == "fixed" else _ZEROS.get(kind.name, 0)


def _list_builder(kind: List, forms: Forms) -> Builder:
    elements, target = builder(kind.element, forms), arrow_type(kind)

    def build(values: Sequence[Any]) -> pa.Array:
        present, offsets = _spread(values)
        try:
            array = elements(list(chain.from_iterable(present)))
        except OddValuesError as error:
            raise _of_parents(error, offsets) from None
        return pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), array, type=target, mask=_nulls(values)
        )

    return build


def _map_builder(kind: Map, forms: Forms) -> Builder:
    keys, values, target = builder(kind.key, forms), builder(kind.value, forms), arrow_type(kind)
    keys_of, values_of = forms.keys, forms.values

    def build(maps: Sequence[Any]) -> pa.Array:
        present, offsets = _spread(maps)
        try:
            key_array = keys(list(chain.from_iterable(map(keys_of, present))))
            value_array = values(list(chain.from_iterable(map(values_of, present))))
        except OddValuesError as error:
            raise _of_parents(error, offsets) from None
        return pa.MapArray.from_arrays(
            pa.array(offsets, pa.int32()), key_array, value_array, target, mask=_nulls(maps)
        )

    return build


def _spread(values: Sequence[Any]) -> tuple[Sequence[Any], list[int]]:
    """Return the lists, or maps, that have something in them, and the offsets of all."""
    present = [value for value in values if value]
    if len(present) == len(values):
        return present, list(accumulate(map(len, values), initial=0))
    return present, list(accumulate([len(value) if value else 0 for value in values], initial=0))


def _nulls(values: Sequence[Any]) -> pa.Array | None:
    nulls = [value is None for value in values]
    return pa.array(nulls) if any(nulls) else None


def _of_parents(error: OddValuesError, offsets: Sequence[int]) -> OddValuesError:
    return OddValuesError({bisect_right(offsets, position) - 1 for position in error.positions})


def _row_leaf(kind: Type) -> Builder | None:
    if not isinstance(kind, Primitive):
        return None
    if kind.name == "variant":
        binary = Primitive("binary")
        parts = (Column("metadata", binary, required=True), Column("value", binary, required=True))
        return _struct_builder(Struct(parts), ROW_FORMS)
    return partial(pa.array, type=arrow_type(kind))


ROW_FORMS = Forms(
    fields=tuple,
    keys=partial(map, itemgetter(0)),
    values=partial(map, itemgetter(1)),
    leaf=_row_leaf,
)
