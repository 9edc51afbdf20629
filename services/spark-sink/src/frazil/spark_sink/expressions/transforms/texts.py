"""Transforms whose result depends on texts inside the records: JSON in strings, Mongo's too."""

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType, DataType, MapType, StringType, StructField, StructType

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.expressions.bson import read_type, settled_bson
from frazil.spark_sink.expressions.draft import Bench, Draft
from frazil.spark_sink.expressions.json_values import is_broken, json_column
from frazil.spark_sink.expressions.nodes import Group, Leaf, Node

_TEXTS = MapType(StringType(), StringType())
_NOT_JSON = "its text is not a JSON object"


def json_to_map(draft: Draft, step: Step, bench: Bench) -> Draft:
    node = draft.value.node
    if not isinstance(node.type, StringType):
        return draft.failing(~node.is_null, "JsonToMapTransform takes texts: set StringConverter")
    if step.options["json.root"]:
        payload = Leaf(fn.from_json(node.column, _TEXTS.simpleString()), _TEXTS)
        draft = draft.failing(~node.is_null & payload.is_null, _NOT_JSON)
        return draft.with_node(None, Group({"payload": payload}, is_null=node.is_null))
    found = bench.json_type(node.column)
    fields = found.fields if isinstance(found, StructType) else []
    kind = StructType([StructField(field.name, _mapped(field.dataType)) for field in fields])
    parsed = bench.add(json_column(node.column, kind))
    draft = draft.failing(~node.is_null & is_broken(parsed), _NOT_JSON)
    return draft.with_node(None, Leaf(parsed, kind))


def _mapped(kind: DataType) -> DataType:
    """Let nested objects be maps of texts."""
    if isinstance(kind, StructType):
        return _TEXTS
    return ArrayType(_mapped(kind.elementType)) if isinstance(kind, ArrayType) else kind


def mongo_debezium(draft: Draft, step: Step, bench: Bench) -> Draft:
    draft, group = draft.parts(None, "MongoDB transform")
    if group is None:
        return draft
    as_documents = step.options["array_handling_mode"] == "document"
    fields = dict(group.fields)
    for name in ("before", "after"):
        node = fields.get(name)
        if node is not None and isinstance(node.type, StringType):
            draft, fields[name] = _document(draft, node.column, bench, as_documents=as_documents)
    return draft.with_node(None, group.having(fields))


def _document(
    draft: Draft, text: Column, bench: Bench, *, as_documents: bool
) -> tuple[Draft, Node]:
    found = bench.json_type(text)
    if not isinstance(found, StructType):
        found = StructType([])
    parsed = bench.add(json_column(text, read_type(found)))
    draft = draft.failing(text.isNotNull() & is_broken(parsed), "its document is not JSON")
    column, kind = settled_bson(parsed, found, as_documents=as_documents)
    return draft, Leaf(column, kind)
