"""Iceberg's types of columns, read from and written as the JSON of its table metadata."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Primitive:
    """A type of single values by Iceberg's name: `long`, `timestamptz_ns`, `decimal`, `variant`.

    `precision` and `scale` are those of a decimal, `length` that of a `fixed`.
    """

    name: str
    precision: int = 0
    scale: int = 0
    length: int = 0

    def __str__(self) -> str:
        if self.name == "decimal":
            return f"decimal({self.precision}, {self.scale})"
        return f"fixed[{self.length}]" if self.name == "fixed" else self.name


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, or a field of a struct in it; one that is not there yet has id 0."""

    name: str
    type: "Type"
    required: bool = False
    id: int = 0


@dataclass(frozen=True, slots=True)
class Struct:
    columns: tuple[Column, ...]

    def __str__(self) -> str:
        return f"struct<{', '.join(f'{one.name}: {one.type}' for one in self.columns)}>"

    def column(self, name: str, *, ignore_case: bool = False) -> Column | None:
        """Find a column by its name."""
        wanted = name.lower() if ignore_case else name
        for one in self.columns:
            if (one.name.lower() if ignore_case else one.name) == wanted:
                return one
        return None


@dataclass(frozen=True, slots=True)
class List:
    element: "Type"
    required: bool = False
    element_id: int = 0

    def __str__(self) -> str:
        return f"list<{self.element}>"


@dataclass(frozen=True, slots=True)
class Map:
    key: "Type"
    value: "Type"
    required: bool = False
    key_id: int = 0
    value_id: int = 0

    def __str__(self) -> str:
        return f"map<{self.key}, {self.value}>"


Type = Primitive | Struct | List | Map


def parse_schema(document: Mapping[str, Any]) -> Struct:
    """Read a table's schema from the JSON of its metadata."""
    return Struct(tuple(map(_column, document["fields"])))


def parse_type(document: str | Mapping[str, Any]) -> Type:
    """Read a type from JSON; a primitive is a text such as `decimal(9, 2)`."""
    if isinstance(document, str):
        return _primitive(document)
    if document["type"] == "struct":
        return parse_schema(document)
    if document["type"] == "list":
        return List(
            parse_type(document["element"]),
            document["element-required"],
            document["element-id"],
        )
    return Map(
        parse_type(document["key"]),
        parse_type(document["value"]),
        document["value-required"],
        document["key-id"],
        document["value-id"],
    )


def type_json(kind: Type) -> str | dict[str, Any]:
    """Write a type as JSON, as the table's metadata would have it."""
    if isinstance(kind, Primitive):
        return str(kind)
    if isinstance(kind, Struct):
        return {"type": "struct", "fields": [column_json(one) for one in kind.columns]}
    if isinstance(kind, List):
        return {
            "type": "list",
            "element-id": kind.element_id,
            "element": type_json(kind.element),
            "element-required": kind.required,
        }
    return {
        "type": "map",
        "key-id": kind.key_id,
        "key": type_json(kind.key),
        "value-id": kind.value_id,
        "value": type_json(kind.value),
        "value-required": kind.required,
    }


def column_json(column: Column) -> dict[str, Any]:
    """Write a column as JSON, as the table's metadata would have it."""
    return {
        "id": column.id,
        "name": column.name,
        "required": column.required,
        "type": type_json(column.type),
    }


def leaves(kind: Type, path: Path = ()) -> Iterator[tuple[Path, Primitive, int]]:
    """List the single values inside a type with their paths; that of the type itself has id 0."""
    yield from _leaves(kind, path, 0)


def with_ids(kind: Type, next_id: Callable[[], int]) -> Type:
    """Number all fields inside a type; those side by side come before what is inside them."""
    if isinstance(kind, Struct):
        numbers = [next_id() for _ in kind.columns]
        return Struct(
            tuple(
                Column(one.name, with_ids(one.type, next_id), one.required, number)
                for one, number in zip(kind.columns, numbers, strict=True)
            )
        )
    if isinstance(kind, List):
        number = next_id()
        return List(with_ids(kind.element, next_id), kind.required, number)
    if isinstance(kind, Map):
        key_id, value_id = next_id(), next_id()
        key, value = with_ids(kind.key, next_id), with_ids(kind.value, next_id)
        return Map(key, value, kind.required, key_id, value_id)
    return kind


def _leaves(kind: Type, path: Path, number: int) -> Iterator[tuple[Path, Primitive, int]]:
    if isinstance(kind, Primitive):
        yield path, kind, number
    elif isinstance(kind, Struct):
        for one in kind.columns:
            yield from _leaves(one.type, (*path, one.name), one.id)
    elif isinstance(kind, List):
        yield from _leaves(kind.element, (*path, "element"), kind.element_id)
    else:
        yield from _leaves(kind.key, (*path, "key"), kind.key_id)
        yield from _leaves(kind.value, (*path, "value"), kind.value_id)


def _column(document: Mapping[str, Any]) -> Column:
    return Column(
        document["name"], parse_type(document["type"]), document["required"], document["id"]
    )


def _primitive(text: str) -> Primitive:
    name, _, inside = text.rstrip(")]").replace("[", "(").partition("(")
    if name == "decimal":
        precision, scale = inside.split(",")
        return Primitive(name, precision=int(precision), scale=int(scale))
    return Primitive(name, length=int(inside)) if name == "fixed" else Primitive(text)
