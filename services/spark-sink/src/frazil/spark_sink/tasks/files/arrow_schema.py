"""The Arrow schema of a table, from which Parquet files get Iceberg's types and field ids."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from frazil.spark_sink.records.schema.types import (
    List,
    Path,
    Primitive,
    Struct,
    Type,
    column_json,
)
from frazil.spark_sink.tasks import arrow_types
from frazil.spark_sink.tasks.arrow_types import WRITABLE
from frazil.spark_sink.tasks.errors import UnsupportedTableError


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column of a Parquet file: a single value of the table, or of a list or map in it.

    `name` is the name that table properties have for it, `parquet` its path in the file;
    `source` is its path through structs, and None inside of a list or map.
    """

    id: int
    name: str
    parquet: str
    kind: Primitive
    source: Path | None


def arrow_schema(schema: Struct) -> pa.Schema:
    """Return the Arrow schema of a table's rows; raise UnsupportedTableError for other types."""
    for leaf in parquet_leaves(schema):
        if leaf.kind.name not in WRITABLE and leaf.kind.name not in ("decimal", "fixed"):
            raise UnsupportedTableError(
                f"column {leaf.name} has the type {leaf.kind}, which cannot be written"
            )
    return arrow_types.arrow_schema(schema)


def schema_json(schema: Struct, schema_id: int) -> str:
    """Write the table's schema as Iceberg keeps it in the footer of its files."""
    columns = [column_json(column) for column in schema.columns]
    return json.dumps({"type": "struct", "schema-id": schema_id, "fields": columns})


def parquet_leaves(schema: Struct) -> tuple[Leaf, ...]:
    """List the columns that a Parquet file of the table has, in their order."""
    return tuple(_leaves(schema, 0, "", "", ()))


def leaf_column(leaf: Leaf, batch: pa.RecordBatch) -> pa.Array:
    """Return the values of a leaf that is not inside of a list or map; null where a struct is."""
    name, *inside = leaf.source or ()
    column = batch.column(name)
    return pc.struct_field(column, inside) if inside else column


def _leaves(
    kind: Type, number: int, name: str, parquet: str, source: Path | None
) -> Iterator[Leaf]:
    if isinstance(kind, Primitive):
        yield Leaf(number, name, parquet, kind, source)
    elif isinstance(kind, Struct):
        dot = "." if name else ""
        for column in kind.columns:
            path = None if source is None else (*source, column.name)
            inside = (f"{name}{dot}{column.name}", f"{parquet}{dot}{column.name}")
            yield from _leaves(column.type, column.id, *inside, path)
    elif isinstance(kind, List):
        inside = (f"{name}.element", f"{parquet}.list.element")
        yield from _leaves(kind.element, kind.element_id, *inside, None)
    else:
        key = (f"{name}.key", f"{parquet}.key_value.key")
        yield from _leaves(kind.key, kind.key_id, *key, None)
        value = (f"{name}.value", f"{parquet}.key_value.value")
        yield from _leaves(kind.value, kind.value_id, *value, None)
