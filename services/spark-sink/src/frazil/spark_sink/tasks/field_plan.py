"""Transforms that only add, drop or rename top-level fields, as a plan for typed decoding."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from frazil.spark_sink.records.schema.types import Column, Struct


class NotServedError(ValueError):
    """Typed decoding cannot serve a table, or a plan."""


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """What a chain of transforms does to the fields of a record, before they meet columns.

    `renames` has the new names by the old ones. `inserts` are columns that the caller fills,
    whatever the record has under their names. Records in which a renamed field meets another one
    are odd, as their order decides.
    """

    renames: Mapping[str, str] = field(default_factory=dict)
    drops: Set[str] = frozenset()
    inserts: Set[str] = frozenset()

    def __post_init__(self) -> None:
        if len(set(self.renames.values())) < len(self.renames):
            raise NotServedError("two fields are renamed to the same name")
        if self.drops & self.renames.keys() or self.inserts & set(self.renames.values()):
            raise NotServedError("a field is renamed, and dropped or inserted as well")

    def source(self, column: Column) -> str | None:
        """Return the field that a column has its value from."""
        if column.name in self.inserts:
            return None
        for old, new in self.renames.items():
            if new == column.name:
                return old
        return None if self._goes(column.name) else column.name

    def ignored(self) -> Set[str]:
        """List the fields that records may have for nothing."""
        return (self.drops | self.inserts) - self.renames.keys()

    def forbidden(self) -> Set[str]:
        """List the fields that would meet a renamed one."""
        return {name for name in self.renames.values() if not self._goes(name)}

    def sources(self, schema: Struct) -> dict[str, Column]:
        """Return the columns that records fill, by the names of fields."""
        filled = {}
        for column in schema.columns:
            source = self.source(column)
            if source is not None:
                filled[source] = column
            elif column.required and column.name not in self.inserts:
                raise NotServedError(f"no field can fill the required column {column.name}")
        return filled

    def _goes(self, name: str) -> bool:
        return name in self.drops or name in self.renames


AS_IS = FieldPlan()
