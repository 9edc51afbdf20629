"""Schemas derived once: by identity, by equality, and not without end."""

from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.transforms.schemas import SchemaCache


class _Derived:
    """Counts what it derives."""

    def __init__(self) -> None:
        self.versions: list[int | None] = []

    def __call__(self, schema: Schema) -> int:
        self.versions.append(schema.version)
        return len(self.versions)


def _schema(version: int) -> Schema:
    return Schema(Kind.STRUCT, version=version, parameters={"a": "b"})


def test_a_schema_is_derived_once() -> None:
    cache = SchemaCache(_Derived())
    first, second = _schema(1), _schema(2)
    assert [cache(schema) for schema in (first, second, first, second)] == [1, 2, 1, 2]


def test_an_equal_schema_is_the_same() -> None:
    cache = SchemaCache(_Derived())
    assert {cache(_schema(number % 3)) for number in range(60)} == {1, 2, 3}


def test_only_the_schemas_of_late_are_remembered() -> None:
    derived = _Derived()
    cache = SchemaCache(derived)
    kept = _schema(0)
    for number in range(1, 40):
        cache(kept)
        cache(_schema(number))
    assert derived.versions == [0, *range(1, 40)]
    cache(_schema(1))
    assert derived.versions[-1] == 1
