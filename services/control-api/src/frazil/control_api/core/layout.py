"""The schemas that a table has had, and what it would take to go back to one of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from frazil.contracts.schema_change import SchemaRules, SchemaUndo
from frazil.control_api.core.errors import NotFoundError, NotUndoneError
from frazil.control_api.core.schema_rules import Decide


@dataclass(frozen=True, slots=True)
class Column:
    """`type` is empty for what has columns of its own; a path is as in a change."""

    path: str
    type: str
    required: bool


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Columns by their ids, for each schema; `bound` are ids that partitions or a key stand on."""

    table: str
    current: int
    schemas: Mapping[int, Mapping[int, Column]]
    bound: frozenset[int]


def undo(layout: TableLayout, schema_id: int) -> Decide:
    """Go back to a schema, and leave out from then on what it does not have.

    Raises NotUndoneError where rows that are there would not fit it.
    """
    if schema_id not in layout.schemas:
        known = ", ".join(map(str, sorted(layout.schemas)))
        raise NotFoundError(f"Table {layout.table} has no schema {schema_id}; it has {known}")
    present, wanted = layout.schemas[layout.current], layout.schemas[schema_id]
    for obstacle in _obstacles(layout, present, wanted):
        raise NotUndoneError(
            f"Table {layout.table} cannot go back to schema {schema_id}: {obstacle}"
        )
    # By path: a column that was renamed since is there by its id.
    kept = {column.path for column in wanted.values()}
    paths = [column.path for column in present.values() if column.path not in kept]
    order = SchemaUndo(before=layout.current, after=schema_id)

    def decide(rules: SchemaRules) -> SchemaRules:
        refused = dict.fromkeys([*rules.refused, *paths])
        return SchemaRules(
            approved=tuple(one for one in rules.approved if one.path not in refused),
            refused=tuple(path for path in refused if path not in kept),
            undo=None if schema_id == layout.current else order,
        )

    return decide


def _obstacles(
    layout: TableLayout, present: Mapping[int, Column], wanted: Mapping[int, Column]
) -> Iterator[str]:
    for number in sorted(layout.bound & present.keys() - wanted.keys()):
        yield f"its partitions, order or key stand on column {present[number].path}"
    for number, column in wanted.items():
        now = present.get(number)
        if column.required and (now is None or not now.required):
            yield f"column {column.path} was required then, and by now rows may have none"
        if now is not None and now.type != column.type:
            yield f"column {column.path} was {column.type} then and is {now.type}"
