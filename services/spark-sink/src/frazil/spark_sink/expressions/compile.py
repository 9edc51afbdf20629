"""A chain of transforms, compiled onto what the converters have read."""

from collections.abc import Callable, Sequence

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.expressions.draft import Bench, Draft, chosen_draft
from frazil.spark_sink.expressions.transforms import fields, metadata, routing, texts
from frazil.spark_sink.expressions.transforms.cast import cast
from frazil.spark_sink.expressions.transforms.predicates import is_met
from frazil.spark_sink.expressions.transforms.sql import sql
from frazil.spark_sink.expressions.transforms.times import timestamp_converter

_TRANSFORMS: dict[str, Callable[[Draft, Step], Draft]] = {
    "Cast": cast,
    "CopyValue": fields.copy_value,
    "DebeziumTransform": metadata.debezium,
    "DmsTransform": metadata.dms,
    "DropHeaders": routing.drop_headers,
    "ExtractField": fields.extract_field,
    "Filter": routing.filter_out,
    "Flatten": fields.flatten,
    "HeaderFrom": routing.header_from,
    "HoistField": fields.hoist_field,
    "InsertField": fields.insert_field,
    "InsertHeader": routing.insert_header,
    "KafkaMetadataTransform": metadata.kafka_metadata,
    "MaskField": fields.mask_field,
    "RegexRouter": routing.regex_router,
    "ReplaceField": fields.replace_field,
    "SetSchemaMetadata": fields.set_schema_metadata,
    "TimestampConverter": timestamp_converter,
    "TimestampRouter": routing.timestamp_router,
    "ValueToKey": fields.value_to_key,
}
# These need to see the records, or Spark's analysis of them. They get a settled draft, and may add
# columns to its frame.
_STAGED: dict[str, Callable[[Draft, Step, Bench], Draft]] = {
    "JsonToMapTransform": texts.json_to_map,
    "MongoDebeziumTransform": texts.mongo_debezium,
    "Sql": sql,
}


def depends_on_records(steps: Sequence[Step]) -> bool:
    """Tell whether a chain may compile to something else for records of the same shape."""
    return any(step.word in _STAGED for step in steps)


def compile_chain(draft: Draft, steps: Sequence[Step], bench: Bench) -> Draft:
    for step in steps:
        draft = _applied(draft, step, bench)
    return draft


def _applied(draft: Draft, step: Step, bench: Bench) -> Draft:
    if step.word in _STAGED:
        draft = bench.settle(draft)
        changed = _STAGED[step.word](draft, step, bench)
    else:
        changed = _TRANSFORMS[step.word](draft, step)
    if step.predicate is None:
        return changed
    return chosen_draft(is_met(draft, step.predicate), changed, draft)
