"""Two Iceberg tables compared: the declared one and the one that is there. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyiceberg.exceptions import ResolveError
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema, promote
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from frazil.provisioner.desired import Table


@dataclass(frozen=True)
class TableState:
    table_schema: Schema
    partition_spec: PartitionSpec
    properties: Mapping[str, str]


@dataclass(frozen=True)
class Difference:
    """`is_fatal`: rows of the declared shape could not be written at all."""

    sentence: str
    is_fatal: bool = False


def differences(table: Table, actual: TableState) -> list[Difference]:
    """Name what differs; columns that the declaration does not know are nobody's business."""
    wanted = table.definition
    found = [
        *_structs(wanted.table_schema.as_struct(), actual.table_schema.as_struct(), ""),
        *_layout(table, actual),
        *_properties(wanted.properties, actual.properties),
    ]
    return [Difference(f"Table {table.name} {one.sentence}", one.is_fatal) for one in found]


def _structs(wanted: StructType, actual: StructType, path: str) -> Iterator[Difference]:
    there = {field.name: field for field in actual.fields}
    for field in wanted.fields:
        name = path + field.name
        if found := there.pop(field.name, None):
            yield from _fields(field, found, name)
        else:
            yield Difference(f"has no column {name} ({field.field_type}).")
    for extra in there.values():
        if extra.required:
            yield Difference(f"requires a column {path}{extra.name} that nobody writes.", True)


def _fields(wanted: NestedField, actual: NestedField, name: str) -> Iterator[Difference]:
    yield from _types(wanted.field_type, actual.field_type, name)
    if wanted.required and not actual.required:
        yield Difference(f"has an optional column {name} where a required one is declared.")
    if actual.required and not wanted.required:
        yield Difference(f"requires a value in {name}, which is declared optional.", True)


def _types(wanted: IcebergType, actual: IcebergType, name: str) -> Iterator[Difference]:
    match wanted, actual:
        case StructType(), StructType():
            yield from _structs(wanted, actual, f"{name}.")
        case ListType(), ListType():
            yield from _fields(wanted.element_field, actual.element_field, f"{name}.element")
        case MapType(), MapType():
            yield from _types(wanted.key_type, actual.key_type, f"{name}.key")
            yield from _fields(wanted.value_field, actual.value_field, f"{name}.value")
        case _ if not _holds(actual, wanted):
            yield Difference(
                f"has column {name} as {actual}, not {wanted}: a type cannot be changed in place.",
                True,
            )


def _holds(actual: IcebergType, wanted: IcebergType) -> bool:
    """Tell whether every value fits: the same type, or one that it may be widened to."""
    if actual == wanted:
        return True
    try:
        promote(wanted, actual)
    except ResolveError:
        return False
    return True


def _layout(table: Table, actual: TableState) -> Iterator[Difference]:
    wanted = table.definition
    declared = _spelled(wanted.partition_spec, wanted.table_schema)
    there = _spelled(actual.partition_spec, actual.table_schema)
    if declared != there:
        yield Difference(f"is partitioned by {there}, not by {declared}.")


def _spelled(spec: PartitionSpec, schema: Schema) -> str:
    parts = [
        f"{field.transform}({schema.find_column_name(field.source_id)})" for field in spec.fields
    ]
    return ", ".join(parts) or "nothing"


def _properties(wanted: Mapping[str, str], actual: Mapping[str, str]) -> Iterator[Difference]:
    for name, value in wanted.items():
        if actual.get(name) != value:
            yield Difference(f"has {name} = {actual.get(name, 'nothing')}, not {value}.")
