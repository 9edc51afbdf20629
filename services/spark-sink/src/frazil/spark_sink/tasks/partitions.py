"""Split rows by a table's partition spec, and name the partitions as Iceberg does."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus

import pyarrow as pa
import pyarrow.compute as pc

from frazil.spark_sink.records.schema.types import Path, Primitive, Struct, Type
from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.transforms import compile_transform
from frazil.spark_sink.tasks.values import civil, to_json, to_text

Values = tuple[Any, ...]

_INT = Primitive("int")
_TRANSFORM = re.compile(r"(identity|void|year|month|day|hour|bucket\[(\d+)\]|truncate\[(\d+)\])")


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A field of a spec: `transform` of the column at path `source`, whose type is `kind`."""

    field_id: int
    name: str
    transform: str
    source: Path
    kind: Primitive

    @property
    def result(self) -> Primitive:
        """The type of the partition's values."""
        if self.transform in {"identity", "void"} or self.transform.startswith("truncate"):
            return self.kind
        return Primitive("date") if self.transform == "day" else _INT


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    id: int = 0
    fields: tuple[PartitionField, ...] = ()

    @property
    def partitioned(self) -> bool:
        return any(field.transform != "void" for field in self.fields)

    def path(self, values: Values) -> str:
        """Return the folders of a partition, as `PartitionSpec.partitionToPath` has them."""
        pairs = zip(self.fields, values, strict=True)
        return "/".join(f"{_escape(field.name)}={_escape(_human(field, v))}" for field, v in pairs)

    def json(self, values: Values) -> list[Any]:
        """Write a partition's values as Iceberg's JSON of content files has them."""
        return [to_json(f.result, value) for f, value in zip(self.fields, values, strict=True)]


def parse_spec(document: Mapping[str, Any], schema: Struct) -> PartitionSpec:
    """Read a partition spec from the JSON of a table's metadata."""
    sources = dict(_sources(schema, ()))
    return PartitionSpec(
        document["spec-id"],
        tuple(_parse_field(field, sources) for field in document["fields"]),
    )


def _parse_field(
    document: Mapping[str, Any], sources: Mapping[int, tuple[Path, Primitive]]
) -> PartitionField:
    name, transform = document["name"], document["transform"]
    if _TRANSFORM.fullmatch(transform) is None:
        raise UnsupportedTableError(f"partition field {name} has the transform {transform}")
    path, kind = sources.get(document.get("source-id", 0), ((), _INT))
    if not path and transform != "void":
        raise UnsupportedTableError(f"partition field {name} is not of a column of the table")
    return PartitionField(document["field-id"], name, transform, path, kind)


def _sources(kind: Type, path: Path) -> Iterator[tuple[int, tuple[Path, Primitive]]]:
    if isinstance(kind, Struct):
        for column in kind.columns:
            if isinstance(column.type, Primitive):
                yield column.id, ((*path, column.name), column.type)
            yield from _sources(column.type, (*path, column.name))


Splitter = Callable[[pa.RecordBatch], Iterator[tuple[Values, pa.RecordBatch]]]


def compile_splitter(spec: PartitionSpec) -> Splitter:
    """Compile a function that splits a batch into the rows of each partition, in their order."""
    if not spec.partitioned:
        return _whole
    keys = tuple(map(_compile_key, spec.fields))

    def split(batch: pa.RecordBatch) -> Iterator[tuple[Values, pa.RecordBatch]]:
        columns = [pc.dictionary_encode(key(batch), null_encoding="encode") for key in keys]
        values = [column.dictionary.to_pylist() for column in columns]
        if all(len(distinct) == 1 for distinct in values):
            yield tuple(distinct[0] for distinct in values), batch
            return
        indices = [column.indices for column in columns]
        groups = _number_groups(indices)
        order = pc.array_sort_indices(groups)
        rows, start = batch.take(order), 0
        for end in pc.run_end_encode(groups.take(order)).run_ends.to_pylist():
            first = order[start].as_py()
            partition = tuple(
                distinct[index[first].as_py()]
                for distinct, index in zip(values, indices, strict=True)
            )
            yield partition, rows.slice(start, end - start)
            start = end

    return split


def _whole(batch: pa.RecordBatch) -> Iterator[tuple[Values, pa.RecordBatch]]:
    if batch.num_rows:
        yield (), batch


def _number_groups(indices: list[pa.Int32Array]) -> pa.Int64Array:
    """Give rows with equal values in all fields the same number."""
    groups = indices[0].cast(pa.int64())
    for index in indices[1:]:
        pairs = pc.add(pc.shift_left(groups, 32), index.cast(pa.int64()))
        # Numbers of pairs are again below the count of rows, so that nothing overflows.
        groups = pc.dictionary_encode(pairs).indices.cast(pa.int64())
    return groups


def _compile_key(field: PartitionField) -> Callable[[pa.RecordBatch], pa.Array]:
    apply = compile_transform(field.transform, field.kind)
    if field.transform == "void":  # its column may be gone
        return lambda batch: pa.nulls(batch.num_rows, pa.int32())
    name, *inside = field.source

    def key(batch: pa.RecordBatch) -> pa.Array:
        column = batch.column(name)
        return apply(pc.struct_field(column, inside) if inside else column)

    return key


def _escape(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def _human(field: PartitionField, value: Any) -> str:
    if value is None:
        return "null"
    if field.transform == "year":
        return f"{1970 + value:04d}"
    if field.transform == "month":
        return f"{1970 + value // 12:04d}-{value % 12 + 1:02d}"
    if field.transform == "hour":
        year, month, day = civil(value // 24)
        return f"{year:04d}-{month:02d}-{day:02d}-{value % 24:02d}"
    return to_text(field.result, value)
