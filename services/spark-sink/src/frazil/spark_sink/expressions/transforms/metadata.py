"""Transforms of the Iceberg sinks that tell where a record came from, and what it changed."""

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import IntegerType, LongType, StringType, StructType, TimestampType

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.expressions.draft import Draft
from frazil.spark_sink.expressions.nodes import (
    Group,
    Leaf,
    Node,
    chosen,
    literal,
    nested,
    nothing,
    opened,
)
from frazil.spark_sink.expressions.shapes import text_of

CDC = "_cdc"


def kafka_metadata(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(None, "adding Kafka's metadata")
    if group is None:
        return draft
    found: dict[str, Node] = {
        "topic": Leaf(draft.topic, StringType(), optional=False),
        "partition": Leaf(fn.col("partition"), IntegerType(), optional=False),
        "offset": Leaf(fn.col("offset"), LongType(), optional=False),
        "timestamp": Leaf(fn.unix_millis("timestamp"), LongType()),
    }
    if step.options["external_field"]:
        name, text = step.options["external_field"].split(",")
        found[name] = literal(text, StringType())
    prefix = step.options["field_name"]
    added: dict[str, Node] = {f"{prefix}_{name}": node for name, node in found.items()}
    if step.options["nested"]:
        added = {prefix: Group(found, is_null=fn.lit(False), optional=False)}
    return draft.with_node(None, group.having({**group.fields, **added}))


def dms(draft: Draft, _step: Step) -> Draft:
    if draft.value.schema:
        return draft.failing(~draft.value.node.is_null, "records of DMS have no schema")
    draft, group = draft.parts(None, "DMS transform")
    if group is None:
        return draft
    data, metadata = (_inner(group, name) for name in ("data", "metadata"))
    draft = draft.dropping(data.is_null | metadata.is_null)
    operation = _text(metadata, "operation")
    op = fn.when(operation == "update", "U").when(operation == "delete", "D").otherwise("I")
    source = _joined(_text(metadata, "schema-name"), _text(metadata, "table-name"))
    cdc: dict[str, Node] = {
        "op": Leaf(op, StringType()),
        "ts": metadata.fields.get("timestamp", nothing()),
        "source": Leaf(source, StringType()),
    }
    draft = draft.failing(_present(data) & operation.isNull(), "its metadata names no operation")
    return _lifted(draft, group, data, cdc)


def debezium(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(None, "Debezium transform")
    if group is None:
        return draft
    letter, source = _text(group, "op"), _inner(group, "source")
    before, after = _inner(group, "before"), _inner(group, "after")
    payload = opened(chosen(letter == "d", before, after)) or after
    draft = draft.failing(~group.is_null & letter.isNull(), "it has no `op` of Debezium's")
    if draft.value.schema:
        draft = draft.failing(_present(group) & payload.is_null, "it has no row of Debezium's")
    else:
        draft = draft.dropping(payload.is_null)
    return _lifted(draft, group, payload, _debezium_cdc(draft, group, source, step))


def _debezium_cdc(draft: Draft, group: Group, source: Group, step: Step) -> dict[str, Node]:
    letter, table = _text(group, "op"), _text(source, "table")
    # The schema where the database has some, as PostgreSQL does.
    db = _text(source, "schema" if "schema" in source.fields else "db")
    op = fn.when(letter == "u", "U").when(letter == "d", "D").otherwise("I")
    key = draft.key
    cdc: dict[str, Node] = {
        "op": Leaf(op, StringType(), optional=False),
        "ts": _debezium_time(draft, group),
        "offset": Leaf(fn.col("offset"), LongType()),
        "source": Leaf(_joined(db, table), StringType(), optional=False),
        "target": Leaf(
            _target(step.options["cdc.target.pattern"], db, table), StringType(), optional=False
        ),
    }
    if key.schema or isinstance(key.node.type, StructType):
        cdc["key"] = nested(key.node)
    return cdc


def _debezium_time(draft: Draft, group: Group) -> Node:
    """Return the time of the event; as in Connect it is a timestamp only where schemas are."""
    node = group.fields.get("ts_ms", nothing())
    if not draft.value.schema:
        return node
    return Leaf(fn.timestamp_millis(node.column), TimestampType(), optional=False)


def _target(pattern: str | None, db: Column, table: Column) -> Column:
    if not pattern:
        return _joined(db, table)
    filled = fn.replace(fn.lit(pattern), fn.lit("{db}"), db)
    return fn.replace(filled, fn.lit("{table}"), table)


def _lifted(draft: Draft, group: Group, payload: Group, cdc: dict[str, Node]) -> Draft:
    """Let the payload be the value, and the metadata one field of it."""
    metadata = Group(cdc, is_null=fn.lit(False), optional=False)
    fields = {**payload.fields, CDC: metadata}
    return draft.with_node(None, Group(fields, is_null=group.is_null, optional=False))


def _inner(group: Group, name: str) -> Group:
    found = opened(group.fields.get(name, nothing()))
    return Group({}, is_null=fn.lit(True)) if found is None else found


def _text(group: Group, name: str) -> Column:
    node = group.fields.get(name, nothing())
    return text_of(node.column, node.type)


def _joined(one: Column, other: Column) -> Column:
    null = fn.lit("null")
    return fn.concat(fn.coalesce(one, null), fn.lit("."), fn.coalesce(other, null))


def _present(group: Group) -> Column:
    return ~group.is_null
