"""Schemas and files of tables, taken from Iceberg's Java objects and given back to them."""

import json
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import count
from typing import Any, cast

from frazil.spark_sink.records.schema.changes import AddColumn, SchemaChange, WidenColumn
from frazil.spark_sink.records.schema.types import (
    Column,
    Struct,
    Type,
    parse_schema,
    type_json,
    with_ids,
)


def read_schema(iceberg: Any, schema: Any) -> Struct:
    """Read a schema of Java's."""
    return parse_schema(json.loads(iceberg.SchemaParser.toJson(schema)))


def java_schema(iceberg: Any, schema: Struct, keys: Sequence[str] = ()) -> Any:
    """Make a schema of Java's; its columns get ids of their own, and the keys identify rows."""
    numbered = cast("Struct", with_ids(schema, partial(next, count(1))))
    ids = [one.id for one in numbered.columns if one.name in keys]
    document = {
        "schema-id": 0,
        "identifier-field-ids": ids,
        **cast("dict[str, Any]", type_json(numbered)),
    }
    return iceberg.SchemaParser.fromJson(json.dumps(document))


def java_type(iceberg: Any, kind: Type) -> Any:
    """Make a type of Java's."""
    return java_schema(iceberg, Struct((Column("x", kind),))).findField("x").type()


def add_to_update(iceberg: Any, update: Any, changes: Iterable[SchemaChange]) -> None:
    """Put changes into an update of a table's schema."""
    for change in changes:
        if isinstance(change, AddColumn):
            parent = ".".join(change.parent) or None
            update.addColumn(parent, change.name, java_type(iceberg, change.type))
        elif isinstance(change, WidenColumn):
            update.updateColumn(".".join(change.path), java_type(iceberg, change.type))
        else:
            update.makeColumnOptional(".".join(change.path))


def java_files(iceberg: Any, documents: Iterable[dict[str, Any]], spec: Any) -> list[Any]:
    """Make data files of Java's from their JSON, in which partitions may be NaN."""
    jackson = iceberg.shaded.com.fasterxml.jackson
    feature = jackson.core.JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS
    nodes = (
        jackson.databind.ObjectMapper().configure(feature, True).readTree(json.dumps([*documents]))
    )
    parse = iceberg.ContentFileParser.fromJson
    return [parse(nodes.get(number), spec) for number in range(nodes.size())]
