"""Predicates: which records a transform is for."""

from pyspark.sql import Column
from pyspark.sql import functions as fn

from frazil.contracts.plugins.transforms.chain import Predicate
from frazil.spark_sink.expressions.draft import Draft
from frazil.spark_sink.expressions.transforms.routing import whole


def is_met(draft: Draft, predicate: Predicate) -> Column:
    met = fn.coalesce(_plain(draft, predicate), fn.lit(False))
    return ~met if predicate.negate else met


def _plain(draft: Draft, predicate: Predicate) -> Column:
    if predicate.word == "TopicNameMatches":
        return draft.topic.rlike(whole(predicate.options["pattern"]))
    if predicate.word == "HasHeaderKey":
        name = predicate.options["name"]
        return fn.exists(draft.headers, lambda header: header.getField("key") == name)
    return draft.value.node.is_null
