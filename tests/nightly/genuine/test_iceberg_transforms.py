"""The Iceberg sink's transforms beside ours: the rows of each, and what each refuses."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.nightly.genuine.case import Case, SourceRecord
from tests.nightly.genuine.chains import ICEBERG, chain_keys
from tests.nightly.genuine.outcome import Trial, text_of_row
from tests.nightly.genuine.peer import Peer, running
from tests.support.plain_records import iceberg_step, struct

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.model import KafkaRecord, Kind, Record, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.copy_value import copy_value
from frazil.spark_sink.records.transforms.debezium import debezium
from frazil.spark_sink.records.transforms.dms import dms
from frazil.spark_sink.records.transforms.json_to_map import json_to_map
from frazil.spark_sink.records.transforms.kafka_metadata import kafka_metadata
from frazil.spark_sink.records.transforms.mongo_debezium import mongo_debezium

MAKERS: dict[str, Callable[[Step], Transform]] = {
    "CopyValue": copy_value,
    "DebeziumTransform": debezium,
    "DmsTransform": dms,
    "JsonToMapTransform": json_to_map,
    "KafkaMetadataTransform": kafka_metadata,
    "MongoDebeziumTransform": mongo_debezium,
}
STRING, TEXT = Schema(Kind.STRING), Schema(Kind.STRING, optional=True)
LONG, OPTIONAL_LONG = Schema(Kind.INT64), Schema(Kind.INT64, optional=True)
MILLIS = 1_700_000_000_500


@dataclass(frozen=True)
class Example:
    """Values through one transform, as texts if they are, else as JSON."""

    name: str
    word: str
    values: Sequence[Any]
    options: Mapping[str, str] = field(default_factory=dict)
    schema: Schema | None = None
    key: Any = None
    key_schema: Schema | None = None


ROW = {"id": 1, "n": "a"}
SOURCE = {"db": "d", "schema": "public", "table": "t"}
CHANGE = {"before": None, "after": None, "op": "c", "ts_ms": 1500, "source": SOURCE}
CHANGES: list[Any] = [
    CHANGE | {"after": ROW},
    CHANGE | {"after": ROW | {"n": "b"}, "op": "u"},
    CHANGE | {"before": ROW, "op": "d"},
    CHANGE | {"after": ROW, "op": "r"},
    CHANGE | {"op": "t"},
    None,
    CHANGE | {"after": ROW, "op": None},
    CHANGE | {"after": ROW, "source": None},
    CHANGE | {"after": ROW, "source": SOURCE | {"table": None}},
    CHANGE | {"after": ROW, "ts_ms": None},
    CHANGE | {"after": ROW, "source": SOURCE | {"schema": None}},
]
ROW_SCHEMA = struct(("id", LONG), ("n", TEXT), optional=True, name="t.Value")
PLACE = struct(("db", STRING), ("schema", TEXT), ("table", TEXT), optional=True)
ENVELOPE = struct(
    *(("before", ROW_SCHEMA), ("after", ROW_SCHEMA)),
    *(("op", TEXT), ("ts_ms", OPTIONAL_LONG), ("source", PLACE)),
    name="t.Envelope",
)
KEY_SCHEMA = struct(("id", LONG), name="t.Key")
DMS_NAMES = {"schema-name": "s", "table-name": "t", "timestamp": "2022"}
DOCUMENTS = [
    '{"_id": {"$oid": "0123456789abcdef01234567"}, "n": 5, "l": [1, 2]}',
    '{"_id": {"$oid": "0123456789abcdef01234567"}, "at": {"$date": 1700000000000}}',
    '{"d": {"$numberDecimal": "1.50"}, "b": {"$binary": {"base64": "YWJj", "subType": "00"}}}',
    '{"t": {"$timestamp": {"t": 1700000000, "i": 1}}, "s": {"x": [{"y": 1.5}]}}',
    '{"r": {"$regularExpression": {"pattern": "a", "options": "i"}}, "u": {"$undefined": true}}',
    '{"big": {"$numberLong": "5"}, "f": {"$numberDouble": "1.5"}, "no": null}',
]
DESCRIPTION = struct(
    ("removedFields", Schema(Kind.ARRAY, optional=True, element=STRING)),
    ("updatedFields", TEXT),
    optional=True,
)
MONGO = struct(
    *(("before", TEXT), ("after", TEXT), ("op", TEXT), ("updateDescription", DESCRIPTION)),
    name="m.Envelope",
)
MONGO_KEY = struct(("id", STRING), name="m.Key")
MONGO_CHANGE = {"before": None, "after": None, "op": "c", "updateDescription": None}
UPDATE = {"removedFields": ["n"], "updatedFields": '{"x": 7}'}
JSON_TEXTS = [
    '{"id": 1, "big": 2147483648, "huge": 9223372036854775808, "f": 1e10, "s": "x"}',
    '{"m": {"a": 1e10, "b": null, "c": [1.0, "ü\\u001f"], "d": {}}, "e": {}, "l": [], "n": null}',
    '{"l1": [1, 2], "l2": ["a", 1, null], "l3": [[1], [2]], "l4": [[1], ["x"], []], "l5": [null]}',
    '{"l6": [{"a": 1}, {}], "l7": [true], "l8": [1.5, 1e-7], "l9": [[], []]}',
    "[1]",
    "x",
    "",
    "null",
    "5",
]
PLAIN = [{"a": 1, "b": 2}, {"a": 5}, {"b": 2}, None, [1], "text", {}]
COPY = {"source.field": "a", "target.field": "c"}
NESTED = {"nested": "true", "field_name": "k", "external_field": "cluster,blue"}
PATTERN = {"cdc.target.pattern": "lake_{db}.{table}"}
DMS = [
    *({"data": ROW, "metadata": DMS_NAMES | {"operation": one}} for one in ("update", "delete")),
    {"data": ROW, "metadata": {"operation": "load"}},
    {"data": ROW, "metadata": DMS_NAMES},
    {"data": 5, "metadata": {}},
    {"other": 1},
    "text",
]
MONGO_CHANGES: list[Any] = [
    *(MONGO_CHANGE | {"after": one} for one in DOCUMENTS),
    MONGO_CHANGE | {"before": DOCUMENTS[0], "op": "d"},
    MONGO_CHANGE | {"before": DOCUMENTS[0], "updateDescription": UPDATE, "op": "u"},
    MONGO_CHANGE | {"updateDescription": UPDATE, "op": "u"},
    MONGO_CHANGE,
    MONGO_CHANGE | {"after": "x"},
    MONGO_CHANGE | {"after": '{"l": [1, "x"]}'},
    None,
]
EXAMPLES = [
    Example("copy", "CopyValue", PLAIN, COPY),
    Example("copy_schema", "CopyValue", [{"a": 1}, None], COPY, struct(("a", OPTIONAL_LONG))),
    Example("debezium", "DebeziumTransform", CHANGES, PATTERN, None, {"id": 1}),
    Example("debezium_bare", "DebeziumTransform", CHANGES),
    Example(
        "debezium_schema", "DebeziumTransform", CHANGES, {}, ENVELOPE, {"id": 1}, KEY_SCHEMA
    ),
    Example(
        "debezium_pattern", "DebeziumTransform", CHANGES, PATTERN, ENVELOPE, {"id": 1}, KEY_SCHEMA
    ),
    Example("dms", "DmsTransform", DMS),
    Example("dms_schema", "DmsTransform", [ROW], {}, ROW_SCHEMA),
    Example("json", "JsonToMapTransform", JSON_TEXTS, {"json.root": "false"}),
    Example("json_root", "JsonToMapTransform", JSON_TEXTS, {"json.root": "true"}),
    Example("metadata", "KafkaMetadataTransform", PLAIN, NESTED),
    Example(
        "mongo", "MongoDebeziumTransform", MONGO_CHANGES, {}, MONGO,
        {"id": '"7"'}, MONGO_KEY,
    ),
    Example(
        "mongo_documents", "MongoDebeziumTransform", MONGO_CHANGES,
        {"array_handling_mode": "document"}, MONGO, {"id": '"k"'}, MONGO_KEY,
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Trial]]:
    with running(tmp_path_factory.mktemp("genuine")) as peer:
        yield dict(zip((one.name for one in EXAMPLES), _tried(peer), strict=True))


def _tried(peer: Peer) -> list[Trial]:
    return peer.trials([_case(one) for one in EXAMPLES])


def _case(example: Example) -> Case:
    texts = example.word == "JsonToMapTransform"
    json_name, text_name = (
        f"org.apache.kafka.connect.{name}"
        for name in ("json.JsonConverter", "storage.StringConverter")
    )
    config = {
        "key.converter": json_name,
        "key.converter.schemas.enable": str(example.key_schema is not None).lower(),
        "value.converter": text_name if texts else json_name,
        "value.converter.schemas.enable": str(example.schema is not None).lower(),
        **chain_keys([(ICEBERG + example.word, example.options)]),
    }
    if texts:
        del config["value.converter.schemas.enable"]
    key = None if example.key is None else _bytes(example.key, example.key_schema)
    values = (
        one.encode() if texts else None if one is None else _bytes(one, example.schema)
        for one in example.values
    )
    records = tuple(SourceRecord(value, key, (), MILLIS) for value in values)
    return Case(f"transform_{example.name}", config, records)


def _bytes(value: Any, schema: Schema | None) -> bytes:
    if schema is not None:
        value = {"schema": _document(schema), "payload": value}
    return json.dumps(value, ensure_ascii=False).encode()


def _document(schema: Schema) -> dict[str, Any]:
    document: dict[str, Any] = {"type": str(schema.kind), "optional": schema.optional}
    if schema.name:
        document["name"] = schema.name
    if schema.element:
        document["items"] = _document(schema.element)
    if schema.kind is Kind.STRUCT:
        document["fields"] = [{"field": name, **_document(one)} for name, one in schema.fields]
    return document


def _ours(example: Example, trial: Trial) -> tuple[list[Any], list[int]]:
    """Return our values and the offsets of what we refuse."""
    transform = MAKERS[example.word](iceberg_step(example.word, example.options))
    values, refused = [], []
    for offset, value in enumerate(example.values):
        place = KafkaRecord(trial.case.name, 0, offset, MILLIS, None, None)
        schema = None if value is None else example.schema
        if offset in trial.deadly:
            continue
        record = Record(
            place, place.topic, example.key, example.key_schema, value, schema, (), MILLIS
        )
        try:
            changed = transform(record)
        except TransformError:
            refused.append(offset)
            continue
        if changed is not None and changed.value is not None:
            values.append(changed.value)
    return values, refused


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_a_transform_gives_the_same_rows(example: Example, trials: dict[str, Trial]) -> None:
    trial = trials[example.name]
    values, refused = _ours(example, trial)
    outcome = trial.outcome
    assert not outcome.died
    assert [letter.offset for letter in outcome.dead] == refused
    assert list(outcome.rows) == sorted(text_of_row(value, outcome.schema) for value in values)
