"""Where a statement looks, as Spark's own parser says."""

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import SparkSession

from frazil.spark_sink.records.schema.types import Path
from frazil.spark_sink.records.transforms.sql import ELEMENT, Mentions
from frazil.worker.bridge import items, java_session

RECORD = "record"


def mentions_of(spark: SparkSession, expressions: Iterable[str]) -> Mentions:
    """Find the paths in expressions; a star among them, as in `struct(*)`, stands for all."""
    parser = java_session(spark).sessionState().sqlParser()
    parsed = [parser.parseExpression(text) for text in expressions]
    paths = dict.fromkeys(path for one in parsed for path in _paths(one))
    return Mentions(tuple(path for path in paths if path), whole=() in paths)


def _paths(expression: Any) -> Iterator[Path]:
    """List the paths in a tree; one that is empty leads to the whole record."""
    path = _path(expression)
    if path is not None:
        yield path[1:] if path[:1] == (RECORD,) else path
        return
    for child in items(expression.children()):
        yield from _paths(child)


def _path(expression: Any) -> Path | None:
    name = _class(expression)
    if name == "UnresolvedAttribute":
        return tuple(map(str, items(expression.nameParts())))
    if name == "UnresolvedStar":
        target = expression.target()
        return tuple(map(str, items(target.get()))) if target.isDefined() else ()
    if name == "UnresolvedExtractValue":
        return _path_inside(expression)
    return None


def _path_inside(extraction: Any) -> Path | None:
    """Follow `a['b']` and `a[0]`; what else leads into a value is a path of its own."""
    parent, key = _path(extraction.child()), extraction.extraction()
    if parent is None or _class(key) != "Literal":
        return None
    is_name = str(key.dataType().typeName()) == "string"
    return (*parent, str(key.value()) if is_name else ELEMENT)


def _class(expression: Any) -> str:
    return str(expression.getClass().getSimpleName())
