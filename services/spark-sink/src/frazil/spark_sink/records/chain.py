"""A connector's chain of transforms as one function."""

from collections.abc import Callable, Sequence

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.records.predicates import predicate_of
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.cast import cast
from frazil.spark_sink.records.transforms.copy_value import copy_value
from frazil.spark_sink.records.transforms.debezium import debezium
from frazil.spark_sink.records.transforms.dms import dms
from frazil.spark_sink.records.transforms.drop_headers import drop_headers
from frazil.spark_sink.records.transforms.extract_field import extract_field
from frazil.spark_sink.records.transforms.filter import filter as filter_record
from frazil.spark_sink.records.transforms.flatten import flatten
from frazil.spark_sink.records.transforms.header_from import header_from
from frazil.spark_sink.records.transforms.hoist_field import hoist_field
from frazil.spark_sink.records.transforms.insert_field import insert_field
from frazil.spark_sink.records.transforms.insert_header import insert_header
from frazil.spark_sink.records.transforms.json_to_map import json_to_map
from frazil.spark_sink.records.transforms.kafka_metadata import kafka_metadata
from frazil.spark_sink.records.transforms.mask_field import mask_field
from frazil.spark_sink.records.transforms.mongo_debezium import mongo_debezium
from frazil.spark_sink.records.transforms.regex_router import regex_router
from frazil.spark_sink.records.transforms.replace_field import replace_field
from frazil.spark_sink.records.transforms.set_schema_metadata import set_schema_metadata
from frazil.spark_sink.records.transforms.timestamp_converter import timestamp_converter
from frazil.spark_sink.records.transforms.timestamp_router import timestamp_router
from frazil.spark_sink.records.transforms.value_to_key import value_to_key

Maker = Callable[[Step], Transform]

# Spark takes `Sql`.
_MAKERS: dict[str, Maker] = {
    "Cast": cast,
    "CopyValue": copy_value,
    "DebeziumTransform": debezium,
    "DmsTransform": dms,
    "DropHeaders": drop_headers,
    "ExtractField": extract_field,
    "Filter": filter_record,
    "Flatten": flatten,
    "HeaderFrom": header_from,
    "HoistField": hoist_field,
    "InsertField": insert_field,
    "InsertHeader": insert_header,
    "JsonToMapTransform": json_to_map,
    "KafkaMetadataTransform": kafka_metadata,
    "MaskField": mask_field,
    "MongoDebeziumTransform": mongo_debezium,
    "RegexRouter": regex_router,
    "ReplaceField": replace_field,
    "SetSchemaMetadata": set_schema_metadata,
    "TimestampConverter": timestamp_converter,
    "TimestampRouter": timestamp_router,
    "ValueToKey": value_to_key,
}


def chain_of(steps: Sequence[Step]) -> Transform | None:
    """Compile the steps in their order; None if there are none."""
    transforms = [_conditional(step) for step in steps]
    if len(transforms) < 2:
        return transforms[0] if transforms else None

    def transform(record: Record) -> Record | None:
        current: Record | None = record
        for change in transforms:
            if current is None:
                return None
            current = change(current)
        return current

    return transform


def _conditional(step: Step) -> Transform:
    transform = _MAKERS[step.word](step)
    if step.predicate is None:
        return transform
    applies = predicate_of(step.predicate)
    return lambda record: transform(record) if applies(record) else record
