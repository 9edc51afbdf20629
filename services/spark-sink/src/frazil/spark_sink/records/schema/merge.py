"""One list of changes out of those that the records of several tasks ask for."""

from collections.abc import Iterable, Sequence
from operator import itemgetter

from frazil.spark_sink.records.schema.applied import applied, type_at
from frazil.spark_sink.records.schema.changes import AddColumn, SchemaChange, WidenColumn
from frazil.spark_sink.records.schema.difference import Comparison, wider
from frazil.spark_sink.records.schema.types import Column, Primitive, Struct

Place = tuple[str, int, int]
"""Topic, partition and offset of a record."""


def merge(
    table: Struct,
    asked: Iterable[tuple[Place, Sequence[SchemaChange]]],
    *,
    ignore_case: bool = False,
) -> list[SchemaChange]:
    """Take the changes in the order of their records, as if each record had come alone.

    A list is what its record asks of `table`, or of that with what its task asked for before. The
    first record that asks for a column decides on its type; what others have inside of it is added,
    and other types are left out. What is lost so is asked for again by the evolved table's records.
    """
    schema = table
    for _, changes in sorted(asked, key=itemgetter(0)):
        creating = not schema.columns
        for change in changes:
            schema = applied(schema, _possible(schema, change, creating, ignore_case))
    whole = Comparison(declared=True, creating=not table.columns, ignore_case=ignore_case)
    return whole.changes(schema, table)


def _possible(
    schema: Struct, change: SchemaChange, creating: bool, ignore_case: bool
) -> Sequence[SchemaChange]:
    """Reduce a change to what a schema still lacks."""
    if isinstance(change, AddColumn):
        parent = type_at(schema, change.parent)
        if not isinstance(parent, Struct):
            return ()
        column = Column(change.name, change.type, change.required)
        comparison = Comparison(creating=creating, ignore_case=ignore_case)
        return comparison.changes(Struct((column,)), parent, change.parent)
    if isinstance(change, WidenColumn):
        there = type_at(schema, change.path)
        return [change] if isinstance(there, Primitive) and wider(there, change.type) else ()
    return [change]
