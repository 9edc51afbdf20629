"""Transforms of what is around a record: its headers and the topic that routes it."""

from dataclasses import replace

from pyspark.sql import Column
from pyspark.sql import functions as fn

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.expressions.draft import Draft
from frazil.spark_sink.expressions.nodes import nothing
from frazil.spark_sink.expressions.shapes import text_of
from frazil.spark_sink.raw import HEADERS

ROUTERS = ("RegexRouter", "TimestampRouter")
"""What changes the topic of a record."""


def drop_headers(draft: Draft, step: Step) -> Draft:
    names = list(step.options["headers"])
    return replace(
        draft, headers=fn.filter(draft.headers, lambda header: ~header.getField("key").isin(names))
    )


def filter_out(draft: Draft, _step: Step) -> Draft:
    return draft.dropping(fn.lit(True))


def insert_header(draft: Draft, step: Step) -> Draft:
    return _with_header(draft, step.options["header"], fn.lit(step.options["value.literal"]))


def header_from(draft: Draft, step: Step) -> Draft:
    draft, group = draft.parts(step.side, "moving fields to headers")
    if group is None:
        return draft
    fields = dict(group.fields)
    for field, header in zip(step.options["fields"], step.options["headers"], strict=True):
        node = fields.get(field, nothing())
        draft = _with_header(draft, header, text_of(node.column, node.type))
    if step.options["operation"] == "move":
        fields = {name: n for name, n in fields.items() if name not in step.options["fields"]}
    return draft.with_node(step.side, group.having(fields))


def _with_header(draft: Draft, name: str, text: Column) -> Draft:
    header = fn.struct(fn.lit(name).alias("key"), text.cast("binary").alias("value"))
    headers = fn.coalesce(draft.headers, fn.array().cast(HEADERS))
    return replace(draft, headers=fn.concat(headers, fn.array(header)))


def regex_router(draft: Draft, step: Step) -> Draft:
    return replace(
        draft,
        topic=fn.regexp_replace(
            draft.topic, whole(step.options["regex"]), step.options["replacement"]
        ),
    )


def timestamp_router(draft: Draft, step: Step) -> Draft:
    time = fn.date_format(fn.col("timestamp"), step.options["timestamp.format"])
    topic = fn.lit(step.options["topic.format"])
    for name, text in (("${topic}", draft.topic), ("${timestamp}", time)):
        topic = fn.replace(topic, fn.lit(name), text)
    draft = draft.failing(fn.col("timestamp").isNull(), "it has no timestamp to be routed by")
    return replace(draft, topic=topic)


def whole(pattern: str) -> str:
    """Let a pattern stand for the whole text; its groups keep their numbers."""
    return f"^(?:{pattern})$"
