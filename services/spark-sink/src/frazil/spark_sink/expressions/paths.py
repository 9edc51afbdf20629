"""Fields by the path that leads to them, as text: what routes and operations of changes are."""

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, MapType, StringType, StructField, StructType

from frazil.spark_sink.expressions.shapes import text_of

Path = tuple[str, ...]


def field_text(column: Column, kind: DataType, path: Path) -> Column:
    """Follow a path into structs and maps; nothing where it leads nowhere."""
    if not path:
        return text_of(column, kind)
    if isinstance(kind, StructType) and path[0] in kind.names:
        return field_text(column.getField(path[0]), kind[path[0]].dataType, path[1:])
    if isinstance(kind, MapType) and isinstance(kind.keyType, StringType):
        return field_text(column.getItem(path[0]), kind.valueType, path[1:])
    return fn.lit(None).cast("string")


def struct_of(paths: Iterable[Path]) -> StructType:
    """Return the type to parse JSON with where these fields are all that is wanted, as text."""
    known = [path for path in paths if path]
    fields = []
    for name in dict.fromkeys(path[0] for path in known):
        rests = [path[1:] for path in known if path[0] == name and len(path) > 1]
        fields.append(StructField(name, struct_of(rests) if rests else StringType()))
    return StructType(fields)
