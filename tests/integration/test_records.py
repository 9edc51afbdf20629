"""Converters and transforms by Connect's names, in one Spark session: what becomes of records.

What is expected of Kafka's own transforms was recorded from the classes of Connect 4.3.1.
"""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.support.records import DROPPED, ICEBERG, KAFKA, Text, chain, read
from tests.support.schema_registry import schema_registry
from tests.support.sink_configs import PLUGIN, changed
from tests.support.spark import LEAVES_SOCKETS, spark_session

from frazil.spark_sink.expressions.reader import Reader

pytestmark = LEAVES_SOCKETS

STRING = {"value.converter": "org.apache.kafka.connect.storage.StringConverter"}
BYTES = {"value.converter": "org.apache.kafka.connect.converters.ByteArrayConverter"}
WITH_SCHEMAS = {"value.converter": "org.apache.kafka.connect.json.JsonConverter"}
JSON_KEYS = {
    "key.converter": "org.apache.kafka.connect.json.JsonConverter",
    "key.converter.schemas.enable": "false",
}
NOT_JSON = "!it is no JSON (UTF-8) of the shape that is read"


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with spark_session() as session:
        session.sparkContext.setLogLevel("OFF")
        yield session


def _step(word: str, **options: str) -> tuple[str, dict[str, str]]:
    """Name a transform and its options; underscores in them stand for dots."""
    package = "" if "." in word else KAFKA
    return package + word, {key.replace("_", "."): text for key, text in options.items()}


CONVERTED: list[Any] = [
    pytest.param({}, ['{"a": 1}', '{"a": 2, "b": [1.5]}'], [{"a": 1}, {"a": 2, "b": [1.5]}],
                 id="JSON without schemas takes the type that the batch has in common"),
    pytest.param({}, ['{"a": 1}', '{"a": "x"}'], [{"a": "1"}, {"a": "x"}],
                 id="a number here and a text there are texts"),
    pytest.param({}, ['{"a": 1}', '{"a": 1.5}', '{"a": null}'], [{"a": 1.0}, {"a": 1.5}, {}],
                 id="integers and fractions are doubles"),
    pytest.param({}, ['{"a": null, "b": {}, "c": [], "d": 1}'], [{"d": 1}],
                 id="null, {} and [] say nothing of a type"),
    pytest.param({}, ['{"a": 1}', '{"a": 1', "", "x", "5", '["a"]'],
                 [{"a": 1}, NOT_JSON, NOT_JSON, NOT_JSON, NOT_JSON, NOT_JSON],
                 id="what is not JSON, or no object among objects, is set aside"),
    pytest.param({}, ['{"a": 1}', None, "null"], [{"a": 1}, DROPPED, DROPPED],
                 id="no value and JSON's null are tombstones"),
    pytest.param({}, [None, None], [DROPPED, DROPPED], id="nothing but tombstones"),
    pytest.param({}, ["bad"], [NOT_JSON], id="nothing but broken records"),
    pytest.param({}, ['{"a": 12345678901234567890}'], [{"a": 12345678901234567890}],
                 id="integers beyond 64 bits are decimals"),
    pytest.param(STRING, ["x", "", None], ["x", "", DROPPED], id="StringConverter"),
    pytest.param(BYTES, [b"\x00\xff"], ["AP8="], id="ByteArrayConverter"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "values", "expected"), CONVERTED)
def test_values_are_converted(
    spark: SparkSession, config: dict[str, str | None], values: list[Text], expected: list[Any]
) -> None:
    assert read(spark, config, values).values == expected


def _schema(kind: str, field: str = "", **more: Any) -> dict[str, Any]:
    return {"type": kind, **({"field": field} if field else {}), **more}


DATA = "org.apache.kafka.connect.data."
RECORD = _schema(
    "struct",
    fields=[
        _schema("int64", "id"),
        _schema("bytes", "amount", optional=True, name=f"{DATA}Decimal", parameters={"scale": "2"}),
        _schema("int32", "day", optional=True, name=f"{DATA}Date"),
        _schema("int64", "at", optional=True, name=f"{DATA}Timestamp"),
        _schema("int32", "time", optional=True, name=f"{DATA}Time"),
        _schema("string", "state", default="new"),
        _schema("bytes", "raw", optional=True),
        _schema("array", "days", optional=True, items=_schema("int32", name=f"{DATA}Date")),
        _schema("map", "counts", optional=True, keys=_schema("string"), values=_schema("int32")),
    ],
)
_DECIMALS = [(0, "AA=="), (1, "AQ=="), (-1, "/w=="), (-12345, "z8c="), (12345, "MDk="),
             (10**37, "B4XuENXaRtkA9DagAAAAAA==")]  # fmt: skip


def _enveloped(payload: Any, schema: Any = RECORD) -> dict[str, Any]:
    return {"schema": schema, "payload": payload}


def test_a_schema_in_the_record_gives_logical_types_and_defaults(spark: SparkSession) -> None:
    full = {"id": 1, "amount": "z8c=", "day": 19_000, "at": 1_700_000_000_123, "time": 3_600_000,
            "state": "old", "raw": "AQI=", "days": [1], "counts": {"a": 5}}  # fmt: skip
    found = read(spark, WITH_SCHEMAS, [_enveloped(full), _enveloped({"id": 2, "amount": 12.5})])
    assert found.type == (
        "struct<id:bigint,amount:decimal(38,2),day:date,at:timestamp,time:int,state:string,"
        "raw:binary,days:array<date>,counts:map<string,int>>"
    )
    assert found.values == [
        {"id": 1, "amount": -123.45, "day": "2022-01-08", "at": "2023-11-14T22:13:20.123Z",
         "time": 3_600_000, "state": "old", "raw": "AQI=", "days": ["1970-01-02"],
         "counts": {"a": 5}},
        {"id": 2, "amount": 12.5, "state": "new"},
    ]  # fmt: skip


def test_a_decimal_may_be_null_where_its_schema_allows_that(spark: SparkSession) -> None:
    decimal: dict[str, Any] = {"name": f"{DATA}Decimal", "parameters": {"scale": "2"}}
    schema = _schema(
        "struct",
        fields=[
            _schema("bytes", "needed", **decimal),
            _schema("bytes", "free", optional=True, **decimal),
            _schema("bytes", "preset", default="AQ==", **decimal),
            _schema(
                "array", "all", optional=True, items=_schema("bytes", optional=True, **decimal)
            ),
        ],
    )
    nulls = {"needed": "AQ==", "free": None, "preset": None, "all": [None, "AQ=="]}
    found = read(
        spark,
        WITH_SCHEMAS,
        [_enveloped(nulls, schema), _enveloped({"needed": None}, schema)],
    )
    assert found.values == [
        {"needed": 0.01, "preset": 0.01, "all": [None, 0.01]},
        "!required field needed has no value",
    ]


@pytest.mark.parametrize(("number", "packed"), _DECIMALS)
@pytest.mark.parametrize("scale", [0, 3, 20])
def test_decimals_are_unpacked_to_the_last_digit(
    spark: SparkSession, number: int, packed: str, scale: int
) -> None:
    if abs(number) >= 10**30 and scale == 20:
        pytest.skip("38 digits do not hold it")
    schema = _schema("bytes", name=f"{DATA}Decimal", parameters={"scale": str(scale)})
    found = read(
        spark,
        chain(_step("HoistField$Value", field="d"), **WITH_SCHEMAS),
        [_enveloped(packed, schema)],
    )
    (value,) = found.each("value")
    assert value.d == Decimal(f"{number}E-{scale}")


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (_enveloped({"state": "x"}), "!required field id has no value"),
        (_enveloped({"id": "x"}), "!its payload does not fit its schema"),
        (_enveloped({"id": 1, "amount": "?"}), f"!not a {DATA}Decimal"),
        (_enveloped(None), "!its schema requires a value, and it has none"),
        (_enveloped(1, {"type": "nope"}), "!its schema is not one of Kafka Connect: unknown type"),
        ({"id": 1}, "!it has no `schema` and `payload`"),
        ("junk", "!it has no `schema` and `payload`"),
    ],
)
def test_what_its_schema_does_not_allow_is_set_aside(
    spark: SparkSession, value: Text, fault: str
) -> None:
    good, bad = read(spark, WITH_SCHEMAS, [_enveloped({"id": 1}), value]).values
    assert good == {"id": 1, "state": "new"}
    assert bad.startswith(fault)


def test_several_schemas_of_one_batch_have_a_type_in_common(spark: SparkSession) -> None:
    newer = _schema("struct", fields=[_schema("double", "id"), _schema("string", "more")])
    values = [_enveloped({"id": 1}), _enveloped({"id": 2.5, "more": "x"}, newer)]
    found = read(spark, WITH_SCHEMAS, [*values, _enveloped(None, None)])
    assert found.values == [{"id": 1.0, "state": "new"}, {"id": 2.5, "more": "x"}, DROPPED]


N = '{"id": 7, "inner": {"x": 1, "y": {"z": "deep"}}, "tags": ["a"], "text": "t", "half": 1.5}'
TRANSFORMED: list[Any] = [
    (_step("ReplaceField$Value", exclude="inner,tags"), [{"id": 7, "text": "t"}]),
    (_step("ReplaceField$Value", include="id,text", renames="id:key"), [{"key": 7, "text": "t"}]),
    (_step("ReplaceField$Value", include="nowhere"), [{}]),
    (_step("ExtractField$Value", field="inner"), [{"x": 1, "y": {"z": "deep"}}]),
    (_step("ExtractField$Value", field="inner.y.z", field_syntax_version="V2"), ["deep"]),
    (_step("ExtractField$Value", field="nowhere"), [DROPPED]),
    (_step("HoistField$Value", field="all"),
     [{"all": {"id": 7, "inner": {"x": 1, "y": {"z": "deep"}}, "tags": ["a"], "text": "t",
               "half": 1.5}}]),
    (_step("Flatten$Value", delimiter="_"),
     [{"id": 7, "inner_x": 1, "inner_y_z": "deep", "tags": ["a"], "text": "t"}]),
    (_step("InsertField$Value", topic_field="tp", partition_field="p!", offset_field="o",
           timestamp_field="at", static_field="s?", static_value="v"),
     [{"tp": "orders", "p": 1, "o": 0, "at": 1_700_000_000_500, "s": "v"}]),
    (_step("MaskField$Value", fields="id,text,tags"), [{"id": 0, "text": "", "tags": []}]),
    (_step("MaskField$Value", fields="id,text", replacement="9"), [{"id": 9, "text": "9"}]),
    (_step("MaskField$Value", fields="id,half", replacement="1.5"), [{"id": 1, "half": 1.5}]),
    (_step("MaskField$Value", fields="id", replacement="x"), ["!field id cannot be masked so"]),
    (_step("MaskField$Value", fields="inner"), [{"inner": {}}]),
    (_step("Cast$Value", spec="id:string,text:boolean"), [{"id": "7", "text": False}]),
    (_step("Cast$Value", spec="id:int8,half:int32"), [{"id": 7, "half": 1}]),
    (_step("Cast$Value", spec="id:float64"), [{"id": 7.0}]),
    (_step("Cast$Value", spec="id:boolean"), [{"id": True}]),
    (_step("Cast$Value", spec="text:int32"),
     ["!field text has a value that cannot be cast to int32"]),
    (_step("Cast$Value", spec="tags:int32"), ["!field tags cannot be cast to int32"]),
    (_step("Filter"), [DROPPED]),
    (_step("SetSchemaMetadata$Value", schema_name="n"),
     ["!a schema is required to update its metadata"]),
    (_step(f"{ICEBERG}CopyValue", source_field="id", target_field="copy"), [{"id": 7, "copy": 7}]),
    (_step("frazil.transforms.Sql", statement="SELECT id * 2 AS twice, inner.y.z FROM record"),
     [{"twice": 14, "z": "deep"}]),
    (_step("frazil.transforms.Sql", statement="SELECT * FROM record WHERE id = 8"), [DROPPED]),
    (_step("frazil.transforms.Sql", statement="SELECT _kafka.offset AS o, nowhere FROM record"),
     [{"o": 0}]),
]  # fmt: skip


@pytest.mark.parametrize(("step", "expected"), TRANSFORMED, ids=lambda case: str(case)[:90])
def test_values_are_transformed(spark: SparkSession, step: Any, expected: list[Any]) -> None:
    found = read(spark, chain(step), [N, None]).values
    assert found[1] == ({} if "Hoist" in step[0] else DROPPED)
    (wanted,) = expected
    if isinstance(wanted, dict) and isinstance(found[0], dict):
        found[0] = {name: found[0].get(name) for name in wanted}
    assert found[0] == wanted


TIMES: list[Any] = [
    ("1700000000123", {"target.type": "Timestamp"}, "2023-11-14T22:13:20.123Z"),
    ("1700000000", {"target.type": "Timestamp", "unix.precision": "seconds"},
     "2023-11-14T22:13:20.000Z"),
    ("1700000000123456", {"target.type": "unix", "unix.precision": "microseconds"},
     1_700_000_000_123_456),
    ("1700000000123456789", {"target.type": "Timestamp", "unix.precision": "nanoseconds"},
     "2023-11-14T22:13:20.123Z"),
    ("1700000000123", {"target.type": "Date"}, "2023-11-14"),
    ("1700000000123", {"target.type": "Time"}, 80_000_123),
    ("1700000000123", {"target.type": "string", "format": "yyyy/MM/dd HH:mm"}, "2023/11/14 22:13"),
    ('"2023-11-14 22"', {"target.type": "unix", "format": "yyyy-MM-dd HH"}, 1_699_999_200_000),
    ('"14.11.2023"', {"target.type": "Date", "format": "yyyy-MM-dd"}, None),
    ("9223372036854775807", {"target.type": "Timestamp", "unix.precision": "seconds"}, None),
    ("true", {"target.type": "Timestamp"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "expected"), TIMES)
def test_times_are_converted(
    spark: SparkSession, text: str, options: dict[str, str], expected: Any
) -> None:
    step = (f"{KAFKA}TimestampConverter$Value", {"field": "t", **options})
    (value,) = read(spark, chain(step), [f'{{"t": {text}}}']).values
    if expected is None:
        assert value.startswith("!field t ")
    else:
        assert value == {"t": expected}


AVRO = "io.confluent.connect.avro.AvroConverter"
_OLD = {"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}
_NEW = {
    "type": "record",
    "name": "r",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
    ],
}
_LOOSE = {"type": "record", "name": "r", "fields": [{"name": "a", "type": ["null", "long"]}]}


def _framed(number: int, datum: str) -> bytes:
    return b"\x00" + number.to_bytes(4, "big") + bytes.fromhex(datum)


def test_avro_is_read_with_the_schemas_of_a_registry(spark: SparkSession) -> None:
    schemas: dict[int | str, Any] = {
        n: {"schema": json.dumps(s)} for n, s in ((1, _OLD), (2, _NEW), (3, _LOOSE))
    }
    values = [
        _framed(1, "0a"),
        # 1,700,000,000,000 as a zigzag varint.
        _framed(2, "0c" + "02" + "80a0abfef962"),
        _framed(2, "0c" + "00"),
        _framed(3, "00"),
        _framed(3, "09ff"),
        _framed(2, ""),
        _framed(9, "00"),
        b"text",
        None,
    ]
    with schema_registry(schemas) as (url, _asked):
        config: dict[str, str | None] = {
            "value.converter": AVRO,
            "value.converter.schema.registry.url": url,
        }
        found = read(spark, config, values)
    assert found.type == "struct<id:bigint,at:timestamp,a:bigint>"
    assert found.values == [
        {"id": 5},
        {"id": 6, "at": "2023-11-14T22:13:20.000Z"},
        {"id": 6},
        {},
        "!its Avro is broken",
        "!its Avro is broken",
        "!schema 9: the schema registry does not know it",
        "!it is not Avro with the id of a schema",
        DROPPED,
    ]


def test_topics_are_routed_and_the_place_of_a_record_stays(spark: SparkSession) -> None:
    steps = (_step("RegexRouter", regex="(ord)(.*)", replacement="$2-$1"), _step("TimestampRouter"))
    found = read(spark, chain(*steps), ["{}", '{"a": 1}'])
    assert found.each("routed_topic") == ["ers-ord-20231114"] * 2
    assert found.each("topic") == ["orders"] * 2
    assert found.each("offset") == [0, 1]


def test_a_pattern_of_topics_has_to_match_the_whole_name(spark: SparkSession) -> None:
    step = _step("RegexRouter", regex="ord", replacement="x")
    assert read(spark, chain(step), ['{"a": 1}']).each("routed_topic") == ["orders"]


def test_headers_are_added_moved_and_dropped(spark: SparkSession) -> None:
    steps = (
        _step("InsertHeader", header="new", value_literal="v"),
        _step("HeaderFrom$Value", fields="id,inner", headers="i,n", operation="move"),
        _step("DropHeaders", headers="old"),
    )
    found = read(spark, chain(*steps), [N], headers={"old": "1", "kept": "2"})
    (headers,) = found.each("headers")
    assert [(pair.key, bytes(pair.value).decode()) for pair in headers] == [
        ("kept", "2"),
        ("new", "v"),
        ("i", "7"),
        ("n", '{"x":1,"y":{"z":"deep"}}'),
    ]
    assert found.values == [{"tags": ["a"], "text": "t", "half": 1.5}]


def test_keys_are_transformed_on_their_own(spark: SparkSession) -> None:
    steps = (_step("Cast$Key", spec="a:string"), _step("HoistField$Key", field="k"))
    found = read(spark, chain(*steps, **JSON_KEYS), [N], key='{"a": 1}')
    assert found.each("key_json") == ['{"key":{"k":{"a":"1"}}}']


def test_fields_of_the_value_become_the_key(spark: SparkSession) -> None:
    steps = (_step("ValueToKey", fields="id"), _step("ExtractField$Key", field="id"))
    assert read(spark, chain(*steps), [N]).each("key") == [7]


PREDICATES: list[Any] = [
    ("TopicNameMatches", {"pattern": "or.*s"}, None, True),
    ("TopicNameMatches", {"pattern": "order"}, None, False),
    ("HasHeaderKey", {"name": "h"}, {"h": "1"}, True),
    ("HasHeaderKey", {"name": "h"}, None, False),
    ("RecordIsTombstone", {}, None, False),
]


@pytest.mark.parametrize(("word", "options", "headers", "met"), PREDICATES)
@pytest.mark.parametrize("negate", [False, True])
def test_a_predicate_chooses_the_records_of_a_transform(
    spark: SparkSession,
    word: str,
    options: dict[str, str],
    headers: dict[str, str] | None,
    *,
    met: bool,
    negate: bool,
) -> None:
    config = chain(
        _step("InsertField$Value", static_field="new", static_value="v", predicate="p",
              negate=str(negate).lower()),
        _step("frazil.transforms.Sql", statement="SELECT *, 1 AS one FROM record", predicate="p",
              negate=str(negate).lower()),
    ) | {"predicates": "p", "predicates.p.type": f"{KAFKA}predicates.{word}"}  # fmt: skip
    config |= {f"predicates.p.{name}": text for name, text in options.items()}
    (value,) = read(spark, config, ['{"a": 1}'], headers=headers).values
    assert value == ({"a": 1, "new": "v", "one": 1} if met != negate else {"a": 1})


def test_the_first_of_several_events_counts(spark: SparkSession) -> None:
    drop, fail = _step("Filter"), _step("Cast$Value", spec="text:int32")
    assert read(spark, chain(drop, fail), [N]).values == [DROPPED]
    (fault,) = read(spark, chain(fail, drop), [N]).values
    assert fault.startswith("!field text")


ROW = {"id": 1, "n": "a"}
SOURCE = {"db": "d", "schema": "public", "table": "t"}


def _change(op: str | None, **more: Any) -> dict[str, Any]:
    return {"op": op, "ts_ms": 5, "source": SOURCE, "before": None, "after": None} | more


def test_changes_of_debezium_are_lifted(spark: SparkSession) -> None:
    changes: list[Text] = [
        _change("c", after=ROW),
        _change("u", before=ROW, after={"id": 1, "n": "b"}),
        _change("d", before=ROW),
        None,
        _change(None, after=ROW),
    ]
    step = (f"{ICEBERG}DebeziumTransform", {"cdc.target.pattern": "lake_{db}.{table}"})
    found = read(spark, chain(step, **JSON_KEYS), changes, key='{"id": 1}').values
    cdc = {"ts": 5, "source": "public.t", "target": "lake_public.t", "key": {"id": 1}}
    assert found == [
        ROW | {"_cdc": cdc | {"op": "I", "offset": 0}},
        {"id": 1, "n": "b", "_cdc": cdc | {"op": "U", "offset": 1}},
        ROW | {"_cdc": cdc | {"op": "D", "offset": 2}},
        DROPPED,
        "!it has no `op` of Debezium's",
    ]


def test_changes_of_dms_are_lifted_and_others_dropped(spark: SparkSession) -> None:
    metadata = {"timestamp": "t", "operation": "update", "schema-name": "s", "table-name": "t"}
    values: list[Text] = [{"data": ROW, "metadata": metadata}, {"other": 1}]
    assert read(spark, chain((f"{ICEBERG}DmsTransform", {})), values).values == [
        ROW | {"_cdc": {"op": "U", "ts": "t", "source": "s.t"}},
        DROPPED,
    ]


DOCUMENT = """{"_id": {"$oid": "ab"}, "n": {"$numberLong": "5"}, "at": {"$date": 1700000000000},
               "list": [{"$numberInt": "1"}], "sub": {"price": {"$numberDecimal": "1.50"}}}"""


def test_documents_of_mongodb_become_typed(spark: SparkSession) -> None:
    mongo: Any = ("io.tabular.iceberg.connect.transforms.MongoDebeziumTransform", {})
    change = _change("c", after=DOCUMENT, source={"db": "d", "table": "c"})
    (value,) = read(spark, chain(mongo), [change]).values
    assert value["after"] == {
        "_id": "ab",
        "n": 5,
        "at": "2023-11-14T22:13:20.000Z",
        "list": [1],
        "sub": {"price": "1.50"},
    }


def test_json_in_texts_becomes_typed_with_maps_inside(spark: SparkSession) -> None:
    step: Any = (f"{ICEBERG}JsonToMapTransform", {})
    found = read(spark, chain(step, **STRING), ['{"a": 1, "b": {"c": [1]}}', "x"])
    assert found.type == "struct<a:bigint,b:map<string,string>>"
    assert found.values == [{"a": 1, "b": {"c": "[1]"}}, "!its text is not a JSON object"]


def test_a_record_unlike_the_others_does_not_make_texts_of_their_structures(
    spark: SparkSession,
) -> None:
    reader = Reader(PLUGIN.parse(changed({})))
    first = read(spark, {}, ['{"a": {"x": 1}}', '{"a": {"x": 2}}'], reader=reader)
    assert first.type == "struct<a:struct<x:bigint>>"
    second = read(spark, {}, ['{"a": 5}', '{"a": {"x": 3}}'], reader=reader)
    assert second.values == [NOT_JSON, {"a": {"x": 3}}]


def test_a_chain_follows_records_that_change_their_shape(spark: SparkSession) -> None:
    reader = Reader(PLUGIN.parse(changed(chain(_step("Flatten$Value")))))
    for value, flat in [
        ({"a": {"x": 1}}, {"a.x": 1}),
        ({"a": {"x": 2}}, {"a.x": 2}),
        ({"a": {"x": 3, "y": 4}}, {"a.x": 3, "a.y": 4}),
    ]:
        assert read(spark, {}, [value], reader=reader).values == [flat]


def test_json_in_texts_becomes_one_map(spark: SparkSession) -> None:
    step = (f"{ICEBERG}JsonToMapTransform", {"json.root": "true"})
    found = read(spark, chain(step, **STRING), ['{"a": 1, "b": {"c": 2}}'])
    assert found.values == [{"payload": {"a": "1", "b": '{"c":2}'}}]


@pytest.mark.parametrize(
    ("options", "added"),
    [
        ({}, {"_kafka_metadata_topic": "orders", "_kafka_metadata_partition": 1,
              "_kafka_metadata_offset": 0, "_kafka_metadata_timestamp": 1_700_000_000_500}),
        ({"nested": "true", "field_name": "k", "external_field": "cluster,blue"},
         {"k": {"topic": "orders", "partition": 1, "offset": 0, "timestamp": 1_700_000_000_500,
                "cluster": "blue"}}),
    ],
)  # fmt: skip
def test_kafkas_metadata_is_added(
    spark: SparkSession, options: dict[str, str], added: dict[str, Any]
) -> None:
    step = (f"{ICEBERG}KafkaMetadataTransform", options)
    assert read(spark, chain(step), ['{"a": 1}']).values == [{"a": 1} | added]
