"""Keys and values while a chain is compiled: a tree of fields, each a column with its type.

A transform moves branches of the tree. Only the end of a chain makes a struct of it, once; so an
expression grows with the number of fields, not with that of transforms.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, NullType, StructField, StructType

from frazil.spark_sink.expressions.shapes import NAME, converted, merged

TIME = "org.apache.kafka.connect.data.Time"


@dataclass(frozen=True, eq=False)
class Leaf:
    """A column of any type; `name` is that of its Connect schema, such as of a time of the day."""

    column: Column
    type: DataType
    _: KW_ONLY
    optional: bool = True
    name: str | None = None

    @property
    def is_null(self) -> Column:
        return self.column.isNull()


@dataclass(frozen=True, eq=False)
class Group:
    """A struct in parts. `origin` is the column that has just these fields, if there is one."""

    fields: Mapping[str, "Node"]
    _: KW_ONLY
    is_null: Column
    origin: Column | None = None
    optional: bool = True
    name: str | None = None

    @property
    def type(self) -> StructType:
        return StructType([field_of(name, node) for name, node in self.fields.items()])

    @property
    def column(self) -> Column:
        if self.origin is not None:
            return self.origin
        parts = [node.column.alias(name) for name, node in self.fields.items()]
        return fn.when(~self.is_null, fn.struct(*parts))

    def having(self, fields: Mapping[str, "Node"]) -> "Group":
        """Return the struct with other fields."""
        return replace(self, fields=dict(fields), origin=None)


Node = Leaf | Group


def field_of(name: str, node: Node) -> StructField:
    return StructField(name, node.type, node.optional, {NAME: node.name} if node.name else {})


def opened(node: Node) -> Group | None:
    """Take a struct apart; what is no struct is None."""
    if isinstance(node, Group):
        return node
    if isinstance(node.type, NullType):
        return Group({}, is_null=fn.lit(True))
    if not isinstance(node.type, StructType):
        return None
    fields = {
        field.name: Leaf(
            node.column.getField(field.name),
            field.dataType,
            optional=field.nullable,
            name=field.metadata.get(NAME),
        )
        for field in node.type.fields
    }
    return Group(
        fields,
        is_null=node.is_null,
        origin=node.column,
        optional=node.optional,
        name=node.name,
    )


def nested(node: Node) -> Node:
    """Return a node for a field of another: a struct as its type names it, and no more."""
    group = opened(node)
    return node if group is None or not group.fields else group.having(group.fields)


def literal(value: Any, kind: DataType, *, optional: bool = False) -> Leaf:
    return Leaf(fn.lit(value).cast(kind), kind, optional=optional)


def nothing() -> Leaf:
    return Leaf(fn.lit(None), NullType())


def chosen(condition: Column, then: Node, otherwise: Node) -> Node:
    """Return one of two by a condition; the result has a type that holds both."""
    if then is otherwise:
        return then
    one, other = opened(then), opened(otherwise)
    if one is not None and other is not None:
        return _chosen_fields(condition, one, other)
    kind = merged(then.type, otherwise.type)
    column = fn.when(condition, converted(then.column, then.type, kind)).otherwise(
        converted(otherwise.column, otherwise.type, kind)
    )
    names = {node.name for node in (then, otherwise) if not isinstance(node.type, NullType)}
    name = names.pop() if len(names) == 1 else None
    return Leaf(column, kind, optional=then.optional or otherwise.optional, name=name)


def _chosen_fields(condition: Column, one: Group, other: Group) -> Group:
    names = dict.fromkeys([*other.fields, *one.fields])
    fields = {
        name: chosen(
            condition, one.fields.get(name) or nothing(), other.fields.get(name) or nothing()
        )
        for name in names
    }
    return Group(
        fields,
        is_null=fn.when(condition, one.is_null).otherwise(other.is_null),
        optional=one.optional or other.optional,
    )
