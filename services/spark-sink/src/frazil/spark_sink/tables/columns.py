"""What rules ask of the columns of a table: their types when they are made, and their places."""

from collections.abc import Callable, Iterable, Iterator

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from frazil.contracts.column_names import ColumnNames
from frazil.contracts.columns import ColumnRules, ColumnType, Path, Policy
from frazil.spark_sink.tables.conflicts import RAW_SUFFIX, has_place
from frazil.spark_sink.tables.evolution import AddColumn, Change, RenameColumn
from frazil.worker.errors import BadTableError

_TYPES: dict[str, DataType] = {
    "boolean": BooleanType(),
    "int": IntegerType(),
    "long": LongType(),
    "float": FloatType(),
    "double": DoubleType(),
    "string": StringType(),
    "binary": BinaryType(),
    "date": DateType(),
    "timestamp": TimestampNTZType(),
    "timestamptz": TimestampType(),
    "variant": VariantType(),
}


def shaped(shape: StructType, rules: ColumnRules) -> StructType:
    """Give the fields of records the types that their columns are to have when they are made."""
    if not rules.judges and not rules.types:
        return shape
    return _struct(shape, rules, ())


def _struct(shape: StructType, rules: ColumnRules, path: Path) -> StructType:
    return StructType([_field(field, rules, (*path, field.name)) for field in shape.fields])


def _field(field: StructField, rules: ColumnRules, path: Path) -> StructField:
    may_be_null = rules.policy(path) in (Policy.NULL, Policy.RAW)
    kind = _type(field.dataType, rules, path)
    return StructField(field.name, kind, field.nullable or may_be_null, field.metadata)


def _type(kind: DataType, rules: ColumnRules, path: Path) -> DataType:
    wanted = rules.type(path)
    if wanted is not None:
        return _spark_type(wanted)
    if rules.policy(path) is Policy.STRING:
        return StringType()
    if isinstance(kind, StructType):
        return _struct(kind, rules, path)
    if isinstance(kind, ArrayType):
        return ArrayType(_type(kind.elementType, rules, (*path, "element")), kind.containsNull)
    if isinstance(kind, MapType):
        value = _type(kind.valueType, rules, (*path, "value"))
        return MapType(kind.keyType, value, kind.valueContainsNull)
    return kind


def _spark_type(kind: ColumnType) -> DataType:
    if kind.name == "decimal":
        return DecimalType(kind.precision, kind.scale)
    return _TYPES[kind.name]


def places(
    table: str,
    schema: StructType,
    paths: Iterable[Path],
    *,
    refuses: Callable[[Path], bool] = lambda _: False,
) -> list[Change]:
    """List the columns to add for texts that the columns of these paths cannot hold."""
    known = {path: field.dataType for path, field, _ in _fields(schema, ())}
    found: list[Change] = []
    for path in paths:
        place = AddColumn(path[:-1], path[-1] + RAW_SUFFIX, StringType())
        where = (*place.parent, place.name)
        kind = known.get(where)
        if kind is None and not refuses(where):
            found.append(place)
        elif not isinstance(kind, StringType):
            raise BadTableError(_no_place(table, ".".join(path)))
    return found


def require_columns(table: str, schema: StructType, rules: ColumnRules, *, evolves: bool) -> None:
    """Refuse a table that is not as the rules need it, and that nobody is going to change."""
    if not rules.judges:
        return
    for path, field, beside in _fields(schema, ()):
        policy, name, kind = rules.policy(path), ".".join(path), field.dataType
        if isinstance(kind, StringType | VariantType):
            continue
        if policy is Policy.STRING:
            raise BadTableError(_no_text(table, name, kind))
        if policy is Policy.RAW and not evolves and beside and not has_place(field, beside):
            raise BadTableError(_no_place(table, name))


def renamings(table: str, schema: StructType, names: ColumnNames) -> list[RenameColumn]:
    """List the columns that a table has under the names that they had before."""
    found = []
    for path, field, beside in _fields(schema, ()) if names.renames else ():
        above, old = names.now(path[:-1]), field.name
        new = names.name(above, old)
        if new == old:
            continue
        others = [names.key(one.name) for one in beside if one is not field]
        if not beside or names.key(new) in others:
            raise BadTableError(_no_new_name(table, ".".join(path), new, is_field=bool(beside)))
        found.append(RenameColumn((*above, old), new))
    return found


def _fields(kind: DataType, path: Path) -> Iterator[tuple[Path, StructField, list[StructField]]]:
    """List what there are rules for, at any depth, with all that is beside it."""
    if isinstance(kind, StructType):
        for field in kind.fields:
            yield (*path, field.name), field, kind.fields
            yield from _fields(field.dataType, (*path, field.name))
    elif isinstance(kind, ArrayType):
        yield from _inside(kind.elementType, (*path, "element"))
    elif isinstance(kind, MapType):
        yield from _inside(kind.valueType, (*path, "value"))


def _inside(kind: DataType, path: Path) -> Iterator[tuple[Path, StructField, list[StructField]]]:
    yield path, StructField(path[-1], kind), []
    yield from _fields(kind, path)


def _no_text(table: str, name: str, kind: DataType) -> str:
    return (
        f"Column {name} of {table} is of the type {kind.simpleString()}, and its policy `string` "
        "wants a string, which Iceberg makes of no other type. Rename it (`ALTER TABLE ... RENAME "
        f"COLUMN {name} TO ...`) and add it as a string, or have it added by the next record with "
        "iceberg.tables.evolve-schema-enabled=true; or choose `raw`, which keeps both. Then "
        "restart."
    )


def _no_new_name(table: str, path: str, new: str, *, is_field: bool) -> str:
    if not is_field:
        return f"{path} of {table} is what a list or a map holds: it has no name. Remove the key."
    return (
        f"Table {table} has a column {path}, which is to be renamed to {new}, and has {new} beside "
        "it. Put the values of both into one of them, and drop or rename the other (`ALTER TABLE "
        "...`); or remove the key of the rename. Then restart."
    )


def _no_place(table: str, name: str) -> str:
    return (
        f"Table {table} has no string column {name}{RAW_SUFFIX} for what {name} cannot hold. Add "
        f"it (`ALTER TABLE ... ADD COLUMN {name}{RAW_SUFFIX} string`), let it be added with "
        "iceberg.tables.evolve-schema-enabled=true, or choose another policy; then restart."
    )
