"""The type that holds the values of two types."""

from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type

LONG, DOUBLE, STRING = Primitive("long"), Primitive("double"), Primitive("string")
UNKNOWN = Primitive("unknown")
"""The type of null."""

MOST_DIGITS = 38
_LONG_DIGITS = 19


def unify(first: Type, second: Type) -> Type:
    """Return a type for the values of both; those that have nothing in common are text."""
    if first == second or second == UNKNOWN:
        return first
    if first == UNKNOWN:
        return second
    if isinstance(first, Struct) and isinstance(second, Struct):
        return _structs(first, second)
    if isinstance(first, List) and isinstance(second, List):
        return List(unify(first.element, second.element))
    if isinstance(first, Primitive) and isinstance(second, Primitive):
        return _numbers(first, second)
    return STRING


def without_unknown(kind: Type) -> Type | None:
    """Leave out what only null, {} and [] stand for; return None if nothing is left."""
    if isinstance(kind, Struct):
        columns = typed_columns(kind).columns
        return Struct(columns) if columns else None
    if isinstance(kind, List):
        element = without_unknown(kind.element)
        return None if element is None else List(element, kind.required)
    return None if kind == UNKNOWN else kind


def typed_columns(kind: Struct) -> Struct:
    """Leave out columns that have no values but null, {} and []."""
    types = ((column, without_unknown(column.type)) for column in kind.columns)
    return Struct(
        tuple(Column(column.name, inner, column.required) for column, inner in types if inner)
    )


def fold_case(kind: Type) -> Type:
    """Make one column of those that differ in case alone; the first name counts."""
    if isinstance(kind, List):
        return List(fold_case(kind.element), kind.required)
    if isinstance(kind, Map):
        return Map(kind.key, fold_case(kind.value), kind.required)
    return fold_columns(kind) if isinstance(kind, Struct) else kind


def fold_columns(kind: Struct) -> Struct:
    """Make one column of those that differ in case alone, at every depth."""
    columns: dict[str, Column] = {}
    for column in kind.columns:
        first = columns.get(column.name.lower(), Column(column.name, UNKNOWN, column.required))
        folded = fold_case(unify(first.type, column.type))
        columns[column.name.lower()] = Column(
            first.name, folded, first.required and column.required
        )
    return Struct(tuple(columns.values()))


def _structs(first: Struct, second: Struct) -> Struct:
    """Fields keep their order; what only the second one has comes last."""
    columns = {column.name: column for column in first.columns}
    for column in second.columns:
        there = columns.get(column.name)
        columns[column.name] = Column(
            column.name, unify(there.type, column.type) if there else column.type
        )
    return Struct(tuple(columns.values()))


def _numbers(first: Primitive, second: Primitive) -> Primitive:
    names = {first.name, second.name}
    if names == {"long", "double"}:
        return DOUBLE
    if names <= {"long", "decimal"}:
        return _decimals(_as_decimal(first), _as_decimal(second))
    return DOUBLE if names == {"double", "decimal"} else STRING


def _as_decimal(kind: Primitive) -> Primitive:
    return kind if kind.name == "decimal" else Primitive("decimal", _LONG_DIGITS, 0)


def _decimals(first: Primitive, second: Primitive) -> Primitive:
    scale = max(first.scale, second.scale)
    precision = scale + max(first.precision - first.scale, second.precision - second.scale)
    return Primitive("decimal", precision, scale) if precision <= MOST_DIGITS else STRING
