"""Transforms that move, add, hide or rename fields."""

from decimal import Decimal, InvalidOperation

from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    NumericType,
    ShortType,
    StringType,
    StructType,
    TimestampType,
)

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.forms import MarkedName, path_of, renamings
from frazil.spark_sink.expressions.draft import Draft
from frazil.spark_sink.expressions.nodes import (
    TIME,
    Group,
    Leaf,
    Node,
    literal,
    nested,
    nothing,
    opened,
)


def copy_value(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(None, "copying a field")
    if group is None:
        return draft
    copy = group.fields.get(step.options["source.field"], nothing())
    return draft.with_node(None, group.having({**group.fields, step.options["target.field"]: copy}))


def extract_field(draft: Draft, step: Step) -> Draft:
    draft, node = draft.parts(step.side, "extracting a field")
    if node is None:
        return draft
    field = step.options["field"]
    found = _follow(node, path_of(field, step.options["field.syntax.version"]))
    if found is None and draft.side(step.side).schema:
        return draft.failing(~node.is_null, f"unknown field {field}")
    return draft.with_node(step.side, found or nothing())


def _follow(node: Node, path: tuple[str, ...]) -> Node | None:
    found: Node | None = node
    for name in path:
        group = None if found is None else opened(found)
        found = None if group is None else group.fields.get(name)
    return found


def hoist_field(draft: Draft, step: Step) -> Draft:
    node = nested(draft.side(step.side).node)
    return draft.with_node(
        step.side, Group({step.options["field"]: node}, is_null=fn.lit(False), optional=False)
    )


def insert_field(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(step.side, "field insertion")
    if group is None:
        return draft
    schema = draft.side(step.side).schema
    values: dict[str, Leaf] = {
        "topic.field": Leaf(draft.topic, StringType()),
        "partition.field": Leaf(fn.col("partition"), IntegerType()),
        "offset.field": Leaf(fn.col("offset"), LongType()),
        "timestamp.field": _time(schema=schema),
        "static.field": literal(step.options["static.value"], StringType()),
    }
    fields = dict(group.fields)
    for option, leaf in values.items():
        if step.options[option]:
            marked = MarkedName.of(step.options[option])
            fields[marked.name] = Leaf(leaf.column, leaf.type, optional=not marked.required)
    return draft.with_node(step.side, group.having(fields))


def _time(*, schema: bool) -> Leaf:
    """Without a schema Connect inserts milliseconds, with one a timestamp."""
    if schema:
        return Leaf(fn.col("timestamp"), TimestampType())
    return Leaf(fn.unix_millis("timestamp"), LongType())


def replace_field(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(step.side, "field replacement")
    if group is None:
        return draft
    include, exclude = step.options["include"], step.options["exclude"]
    names = renamings(step.options["renames"])
    fields = {
        names.get(name, name): node
        for name, node in group.fields.items()
        if name not in exclude and (not include or name in include)
    }
    return draft.with_node(step.side, group.having(fields))


def value_to_key(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(None, "copying fields from value to key")
    if group is None:
        return draft
    unknown = [name for name in step.options["fields"] if name not in group.fields]
    if unknown and draft.value.schema:
        return draft.failing(~group.is_null, f"field does not exist: {unknown[0]}")
    fields = {name: group.fields.get(name, nothing()) for name in step.options["fields"]}
    key = Group(fields, is_null=fn.lit(False), optional=False)
    return draft.with_node("Key", key, schema=draft.value.schema)


def set_schema_metadata(draft: Draft, step: Step) -> Draft:
    side = draft.side(step.side)
    if not side.schema:
        return draft.failing(~side.node.is_null, "a schema is required to update its metadata")
    return draft


def mask_field(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(step.side, "mask fields")
    if group is None:
        return draft
    fields = dict(group.fields)
    for name in step.options["fields"]:
        if name not in fields:
            continue
        schema = draft.side(step.side).schema
        mask = _mask(fields[name], step.options["replacement"], schema=schema)
        if mask is None:
            draft = draft.failing(~fields[name].is_null, f"field {name} cannot be masked so")
        else:
            column = fn.when(~fields[name].is_null, mask.column)
            fields[name] = Leaf(column, mask.type, optional=fields[name].optional)
    return draft.with_node(step.side, group.having(fields))


_BLANKS: dict[type[DataType], str | bool | bytes] = {
    StringType: "",
    BooleanType: False,
    BinaryType: b"",
    DateType: "1970-01-01",
    TimestampType: "1970-01-01T00:00:00Z",
}


def _mask(node: Node, replacement: str | None, *, schema: bool) -> Leaf | None:
    """Return what hides a value of this type; None if nothing can."""
    kind = node.type
    if replacement is None:
        return _blank(node, schema=schema)
    if isinstance(kind, StringType):
        return literal(replacement, kind)
    if not isinstance(kind, NumericType) or node.name == TIME or not _is_number(replacement):
        return None
    whole = isinstance(kind, ByteType | ShortType | IntegerType | LongType)
    number = str(int(Decimal(replacement))) if whole else replacement
    return Leaf(fn.lit(number).try_cast(kind), kind)


def _blank(node: Node, *, schema: bool) -> Leaf | None:
    kind = node.type
    if isinstance(kind, StructType):
        # To Connect it is a map without a schema, and a struct with one.
        return None if schema else Leaf(fn.from_json(fn.lit("{}"), kind), kind)
    if isinstance(kind, NumericType):
        return literal(0, kind)
    if isinstance(kind, ArrayType):
        return Leaf(fn.array().cast(kind), kind)
    if isinstance(kind, MapType):
        return Leaf(fn.map_from_arrays(fn.array(), fn.array()).cast(kind), kind)
    if isinstance(kind, NullType):
        return nothing()
    blank = _BLANKS.get(type(kind))
    return None if blank is None else literal(blank, kind)


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def flatten(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(step.side, "flattening")
    if group is None:
        return draft
    return draft.with_node(step.side, group.having(_flat(group, step.options["delimiter"])))


def _flat(group: Group, delimiter: str, prefix: str = "") -> dict[str, Node]:
    found: dict[str, Node] = {}
    for name, node in group.fields.items():
        inner = None if isinstance(node.type, NullType) else opened(node)
        if inner is None:
            found[prefix + name] = node
        else:
            found |= _flat(_nullable(inner), delimiter, f"{prefix}{name}{delimiter}")
    return found


def _nullable(group: Group) -> Group:
    """Let the fields of an optional struct be optional, for all are null where it is."""
    if not group.optional:
        return group
    fields: dict[str, Node] = {
        name: Leaf(node.column, node.type, name=node.name) for name, node in group.fields.items()
    }
    return group.having(fields)
