"""Schemas derived once: by identity, by equality, and not without end."""

from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.transforms.schemas import SchemaCache


def _schema(version: int) -> Schema:
    return Schema(Kind.STRUCT, version=version, parameters={"a": "b"})


def test_a_schema_is_derived_once() -> None:
    derived: list[Schema] = []
    cache = SchemaCache(lambda schema: derived.append(schema) or len(derived))
    first, second = _schema(1), _schema(2)
    assert [cache(schema) for schema in (first, second, first, second)] == [1, 2, 1, 2]


def test_an_equal_schema_is_the_same() -> None:
    derived: list[Schema] = []
    cache = SchemaCache(lambda schema: derived.append(schema) or len(derived))
    assert {cache(_schema(number % 3)) for number in range(60)} == {1, 2, 3}


def test_only_the_schemas_of_late_are_remembered() -> None:
    derived: list[int | None] = []
    cache = SchemaCache(lambda schema: derived.append(schema.version))
    kept = _schema(0)
    for number in range(1, 40):
        cache(kept)
        cache(_schema(number))
    assert derived == [0, *range(1, 40)]
    cache(_schema(1))
    assert derived[-1] == 1
