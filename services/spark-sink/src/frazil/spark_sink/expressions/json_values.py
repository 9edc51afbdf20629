"""JSON without a schema: its type found on the driver, then parsed in one go."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StringType, StructField, StructType

from frazil.spark_sink.expressions.shapes import preferred
from frazil.worker.bridge import json_type

_CORRUPT = "__frazil_corrupt"
_WRAPPED = "value"
_STRICT = {"allowSingleQuotes": "false"}
# Null, {} and [] say nothing of a type, and make no column.
_READING = _STRICT | {"mode": "DROPMALFORMED", "dropFieldIfAllNull": "true"}
_PARSING = _STRICT | {"columnNameOfCorruptRecord": _CORRUPT}
_SAMPLE = 1000


def found_type(frame: DataFrame, texts: Column, known: DataType | None = None) -> DataType:
    """Find the type that all JSON texts of a frame have, by reading them.

    `known` is the type of those before them; without it, the first ones tell what is a structure.
    """
    lines = frame.select(texts.alias(_WRAPPED))
    before = _type_of(lines.limit(_SAMPLE)) if known is None else known
    return preferred(_type_of(lines), before)


def _type_of(lines: DataFrame) -> DataType:
    """Let objects decide; only where there is none may texts be of another kind."""
    objects = json_type(lines.where(fn.ltrim(_WRAPPED).startswith("{")), _READING)
    if objects.fields:
        return objects
    wrapped = fn.concat(fn.lit(f'{{"{_WRAPPED}":'), _WRAPPED, fn.lit("}"))
    others = json_type(lines.select(wrapped), _READING)
    return others[_WRAPPED].dataType if others.fields else StructType([])


def json_text(raw: Column) -> Column:
    """Return bytes as text, or nothing if they are none: Spark would put marks for odd bytes."""
    return fn.try_validate_utf8(raw.cast(StringType()))


def json_column(text: Column, kind: DataType) -> Column:
    """Parse texts; what does not fit is marked, and `is_broken` tells."""
    marked = StringType()
    if isinstance(kind, StructType):
        schema = StructType([*kind.fields, StructField(_CORRUPT, marked)])
    else:
        schema = StructType([StructField(_WRAPPED, kind), StructField(_CORRUPT, marked)])
        text = fn.concat(fn.lit(f'{{"{_WRAPPED}":'), text, fn.lit("}"))
    return fn.from_json(text, schema, _PARSING)


def is_broken(parsed: Column) -> Column:
    return parsed.isNull() | parsed.getField(_CORRUPT).isNotNull()


def content(parsed: Column, kind: DataType) -> Column:
    """Return what was parsed; a struct keeps the mark as a last field, which no type names."""
    return parsed if isinstance(kind, StructType) else parsed.getField(_WRAPPED)
