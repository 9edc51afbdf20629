"""Any JSON value through the Iceberg sink's transforms: input as it was, and one kind of error."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.plain_records import iceberg_step, record_of

from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.copy_value import copy_value
from frazil.spark_sink.records.transforms.debezium import debezium
from frazil.spark_sink.records.transforms.dms import dms
from frazil.spark_sink.records.transforms.json_to_map import json_to_map
from frazil.spark_sink.records.transforms.kafka_metadata import kafka_metadata
from frazil.spark_sink.records.transforms.mongo_debezium import mongo_debezium

TRANSFORMS: dict[str, Transform] = {
    "copy": copy_value(iceberg_step("CopyValue", {"source.field": "a", "target.field": "op"})),
    "Debezium": debezium(iceberg_step("DebeziumTransform", {"cdc.target.pattern": "{db}_{table}"})),
    "DMS": dms(iceberg_step("DmsTransform")),
    "JSON": json_to_map(iceberg_step("JsonToMapTransform")),
    "JSON as a map": json_to_map(iceberg_step("JsonToMapTransform", {"json.root": "true"})),
    "metadata": kafka_metadata(iceberg_step("KafkaMetadataTransform", {"nested": "true"})),
    "MongoDB": mongo_debezium(iceberg_step("MongoDebeziumTransform")),
    "MongoDB's arrays": mongo_debezium(
        iceberg_step("MongoDebeziumTransform", {"array_handling_mode": "document"})
    ),
}
SPELLINGS = [
    *("$oid", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$date", "$binary"),
    *("$timestamp", "$uuid", "$code", "$scope", "$symbol", "$regularExpression", "$regex"),
    *("$options", "$undefined", "$minKey", "base64", "pattern", "options", "t", "a", "b"),
]
WORDS = [
    *("op", "before", "after", "source", "schema", "db", "table", "ts_ms", "id"),
    *("updateDescription", "updatedFields", "removedFields", "data", "metadata", "operation"),
    *("timestamp", "schema-name", "table-name"),
]


def values(names: list[str]) -> st.SearchStrategy[Any]:
    """Any JSON, with names that mean something."""
    single = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=5)
        | st.sampled_from(["d", "u", "5", "2023-11-14", "YWJj", "{}", "1e5"])
    )
    return st.recursive(
        single,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(names) | st.text(max_size=3), inner, max_size=5)
        ),
        max_leaves=12,
    )


ANY = values(WORDS)
TEXTS = values(SPELLINGS).map(json.dumps)
CHANGES = st.fixed_dictionaries(
    {"op": ANY, "before": TEXTS | ANY, "after": TEXTS | ANY, "source": ANY},
    optional={"updateDescription": st.fixed_dictionaries({"updatedFields": TEXTS | ANY}) | ANY},
)


@pytest.mark.parametrize("name", TRANSFORMS)
@settings(max_examples=60, derandomize=True, deadline=None)
@given(value=ANY | TEXTS | CHANGES, key=ANY | st.fixed_dictionaries({"id": TEXTS}))
def test_a_transform_changes_no_input_and_raises_one_error(name: str, value: Any, key: Any) -> None:
    record = record_of(value, key=key)
    before = copy.deepcopy(record)
    try:
        changed = TRANSFORMS[name](record)
    except TransformError:
        changed = record
    assert record == before
    assert changed is None or changed.source is record.source
