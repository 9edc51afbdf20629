import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.connect_json import envelope, payload_json, schema_json, typed_values

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters import converter_of
from frazil.spark_sink.records.converters.api import Converter
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Field, Kind, Schema
from frazil.worker.errors import BadConfigError


def converter(**options: str) -> Converter:
    settings_ = {name.replace("_", "."): text for name, text in options.items()}
    return converter_of(Converting("json", True, settings_))


convert = converter()


def read(schema: Any, payload: Any, **options: str) -> Any:
    """Convert an envelope and return the value alone."""
    text = json.dumps({"schema": schema, "payload": payload})
    return (converter(**options) if options else convert)(text.encode())[0]


def logical(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "name": name, "version": 1, **more}


def map_of(keys: Any, values: Any) -> dict[str, Any]:
    return {"type": "map", "keys": keys, "values": values}


def struct_of(**fields: Any) -> dict[str, Any]:
    return {
        "type": "struct",
        "fields": [{**schema, "field": name} for name, schema in fields.items()],
    }


_DECIMAL = logical(DECIMAL, "bytes", parameters={"scale": "2"})
_DATE, _TIME = logical(DATE, "int32"), logical(TIME, "int32")
_TIMESTAMP = logical(TIMESTAMP, "int64")


@pytest.mark.parametrize(
    ("schema", "payload", "value"),
    [
        ({"type": "boolean"}, True, True),
        ({"type": "int8"}, -128, -128),
        ({"type": "int16"}, 32767, 32767),
        ({"type": "int32"}, -(2**31), -(2**31)),
        ({"type": "int64"}, 2**63 - 1, 2**63 - 1),
        ({"type": "int32"}, 5.0, 5),
        ({"type": "float"}, 0.1, 0.10000000149011612),
        ({"type": "float"}, 3, 3.0),
        ({"type": "double"}, 0.1, 0.1),
        ({"type": "double"}, 10**30, 1e30),
        ({"type": "double"}, "-Infinity", float("-inf")),
        ({"type": "string"}, "", ""),
        ({"type": "bytes"}, "AP8=", b"\0\xff"),
        ({"type": "bytes"}, "", b""),
        ({"type": "array", "items": {"type": "int8"}}, [1, 2], [1, 2]),
        ({"type": "array", "items": {"type": "int8", "optional": True}}, [None], [None]),
        (map_of({"type": "string"}, _DATE), {"a": 1}, {"a": date(1970, 1, 2)}),
        (map_of({"type": "int8"}, {"type": "string"}), [[1, "a"]], {1: "a"}),
        (map_of(_DATE, _DATE), [[0, 1]], {date(1970, 1, 1): date(1970, 1, 2)}),
        ({"type": "struct", "fields": []}, {"unknown": 1}, {}),
        (_DECIMAL, "AMg=", Decimal("2.00")),
        (_DECIMAL, "gA==", Decimal("-1.28")),
        (_DECIMAL, 12, Decimal(12)),
        (_DATE, -1, date(1969, 12, 31)),
        (_DATE, 2932896, date(9999, 12, 31)),
        (_TIME, 0, time(0)),
        (_TIME, 86_399_999, time(23, 59, 59, 999_000)),
        (_TIMESTAMP, -1, datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)),
        (_TIMESTAMP, 253_402_300_799_999, datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)),
        (logical("my.Own", "int32"), 5, 5),
        (None, {"a": [1, 0.5, None, "x"]}, {"a": [1, 0.5, None, "x"]}),
        (None, None, None),
    ],
    ids=repr,
)  # fmt: skip
def test_a_payload_is_read_by_its_schema(schema: Any, payload: Any, value: Any) -> None:
    result = read(schema, payload)
    assert result == value
    assert repr(result) == repr(value)


@pytest.mark.parametrize(
    ("schema", "payload", "why"),
    [
        ({"type": "boolean"}, 1, "a number is not of type BOOLEAN"),
        ({"type": "int8"}, 128, "128 is out of the range of INT8"),
        ({"type": "int64"}, 2**63, "9223372036854775808 is out of the range of INT64"),
        ({"type": "int32"}, 1.5, "a number is not an integer of 64 bits"),
        ({"type": "int64"}, 1e300, "a number is not an integer of 64 bits"),
        ({"type": "int32"}, True, "a boolean is not of type INT32"),
        ({"type": "int32"}, "5", "a string is not of type INT32"),
        ({"type": "float"}, 1e39, "a number is out of the range of FLOAT32"),
        ({"type": "double"}, 10**400, "a number is out of the range of FLOAT64"),
        ({"type": "double"}, "1", "a string is not of type FLOAT64"),
        ({"type": "double"}, [], "an array is not of type FLOAT64"),
        ({"type": "string"}, 5, "a number is not of type STRING"),
        ({"type": "string"}, None, "Invalid null value for required STRING field"),
        ({"type": "bytes"}, "A", "Invalid bytes field: it is not base64"),
        ({"type": "bytes"}, "\u20ac", "Invalid bytes field: it is not base64"),
        ({"type": "array", "items": _DATE}, {}, "an object is not of type ARRAY"),
        ({"type": "array", "items": _DATE}, [None], "Invalid null value for required INT32 field"),
        (map_of({"type": "string"}, _DATE), [], "an array is not of type MAP"),
        (map_of(_DATE, _DATE), {}, "an object is not of type MAP"),
        (map_of(_DATE, _DATE), [[1]], "an entry of a map is not an array of"),
        (map_of(_DATE, _DATE), [1], "an entry of a map is not an array of"),
        ({"type": "struct", "fields": []}, [], "an array is not of type STRUCT"),
        (
            struct_of(a=struct_of(b={"type": "int8"})),
            {"a": {}},
            "field a: field b: Invalid null value for required INT8 field",
        ),
        (_DECIMAL, "", "a decimal has no bytes"),
        (_DECIMAL, True, "a boolean is not of type org.apache.kafka.connect.data.Decimal"),
        (_DECIMAL, {}, "an object is not of type org.apache.kafka.connect.data.Decimal"),
        (_DATE, 1.0, "a number is not of type org.apache.kafka.connect.data.Date"),
        (_DATE, 2932897, "date 2932897 days is not in the years 1 to 9999"),
        (_DATE, -(2**70), "date -1180591620717411303424 days is not in the years 1 to 9999"),
        (_TIME, -1, "time -1 ms is not within a day"),
        (_TIME, 86_400_000, "time 86400000 ms is not within a day"),
        (_TIMESTAMP, 2**63, "timestamp 9223372036854775808 ms is not in the years 1 to 9999"),
        (_TIMESTAMP, 253_402_300_800_000, "timestamp 253402300800000 ms is not in"),
        (_TIMESTAMP, "2022-05-04", f"a string is not of type {TIMESTAMP}"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_payload_that_its_schema_does_not_allow_is_refused(
    schema: Any, payload: Any, why: str
) -> None:
    with pytest.raises(ConverterError) as caught:
        read(schema, payload)
    assert str(caught.value).startswith(why)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({}, "Schema must contain 'type' field"),
        ([], "Schema must contain 'type' field"),
        ("string", "Schema must contain 'type' field"),
        ({"type": 5}, "Schema must contain 'type' field"),
        ({"type": "float32"}, "Unknown schema type: float32"),
        ({"type": "array"}, "Array schema did not specify its items"),
        ({"type": "map", "keys": {"type": "string"}}, "Map schema did not specify its values"),
        ({"type": "map", "values": {"type": "string"}}, "Map schema did not specify its keys"),
        ({"type": "struct"}, 'Struct schema\'s "fields" argument is not an array.'),
        (
            {"type": "struct", "fields": [{"type": "int8"}]},
            "Struct schema's field name not specified properly",
        ),
        (
            {"type": "struct", "fields": [{"type": "int8", "field": "a"}] * 2},
            "Struct schema has two fields a",
        ),
        (
            {"type": "int8", "parameters": {"a": 1}},
            "Schema parameters must have string values.",
        ),
        ({"type": "bytes", "name": DECIMAL}, "Invalid Decimal schema: scale parameter not found."),
        (
            logical(DECIMAL, "bytes", parameters={"scale": "x"}),
            "Invalid scale in Decimal schema: x",
        ),
        (
            {"type": "int8", "default": None},
            "Invalid null value for required INT8 field",
        ),
        ({"type": "int8", "default": "x"}, "a string is not of type INT8"),
    ],
    ids=repr,
)
def test_a_schema_that_is_none_is_refused(schema: Any, why: str) -> None:
    with pytest.raises(ConverterError) as caught:
        read(schema, 1)
    assert str(caught.value) == why


@pytest.mark.parametrize(
    "text",
    [
        b"null",
        b"1",
        b"[]",
        b"{}",
        b'{"schema":null}',
        b'{"payload":1}',
        b'{"schema":null,"payload":1,"more":2}',
        b'{"schema":null,"Payload":1}',
        b'{"a":"\\ud800"}',
    ],
)
def test_what_is_no_envelope_is_refused_in_connects_words(text: bytes) -> None:
    with pytest.raises(ConverterError, match='requires "schema" and "payload" fields and may not'):
        convert(text)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b'{"schema":null,"payload":1} x',
        b'"a"}',
        b'\0"a"}',
        b'{"schema":null,"payload":nul}',
        b'{"schema":{"type":"string"},"payload":"\xff"}',
        b'{"schema":{"type":"string},"payload":""}',
        b'{"schema":null,"payload":[1,]}',
        b'{"schema":null,"payload":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"schema":' + b'{"type":"array","items":' * 5000 + b"1" + b"}" * 5000 + b',"payload":1}',
    ],
    ids=lambda text: repr(text)[:40],
)
def test_an_envelope_that_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(ConverterError):
        convert(text)


def test_no_bytes_are_a_tombstone() -> None:
    assert convert(None) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        b'{"payload":"a","schema":{"type":"string"}}',
        b'\xef\xbb\xbf{"schema":{"type":"string"},"payload":"a"}',
        b' { "schema" : { "type" : "string" } , "payload" : "a" } ',
        b'{"\\u0073chema":{"type":"string"},"payload":"a"}',
        b'{"schema":null,"payload":"b","schema":{"type":"string"},"payload":"a"}',
    ],
)
def test_an_envelope_may_be_written_in_other_ways(text: bytes) -> None:
    assert convert(text) == ("a", Schema(Kind.STRING))


def test_odd_texts_and_numbers_are_taken_in_envelopes_too() -> None:
    text = b'{"schema":{"type":"array","items":{"type":"string"}},"payload":["\\ud800"]}'
    assert convert(text)[0] == ["?"]
    assert convert(b'{"schema":null,"payload":[0.5,"\\ud800",01]}') == ([0.5, "?", 1], None)
    text = b'{"schema":{"type":"double","default":0.5,"doc":"\\ud800"},"payload":null}'
    assert convert(text)[0] == 0.5
    text = b'{"schema":{"type":"double","default":1%s,"doc":"\\ud800"},"payload":null}'
    assert convert(text % (b"0" * 30))[0] == 1e30


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (b"1.10", "1.10"),
        (b"0.10000000000000000000000000000000001", "0.10000000000000000000000000000000001"),
        (b"123456789012345678901234567890.12", "123456789012345678901234567890.12"),
        (b"1e3", "1E+3"),
    ],
)
def test_a_decimal_as_a_number_keeps_its_digits(number: bytes, value: str) -> None:
    text = b'{"schema":%s,"payload":%s}' % (json.dumps(_DECIMAL).encode(), number)
    assert repr(convert(text)[0]) == repr(Decimal(value))


def test_a_decimal_with_an_endless_exponent_is_refused() -> None:
    text = b'{"schema":%s,"payload":1e999999}' % json.dumps(_DECIMAL).encode()
    with pytest.raises(ConverterError, match="too large an exponent"):
        convert(text)


def test_a_decimal_beside_a_float_does_not_change_the_float() -> None:
    fields = [{**_DECIMAL, "field": "d"}, {"type": "double", "field": "f"}]
    value = read({"type": "struct", "fields": fields}, {"d": 0.5, "f": 0.1})
    assert repr(value) == repr({"d": Decimal("0.5"), "f": 0.1})


def test_a_null_decimal_is_null() -> None:
    schema = struct_of(d={**_DECIMAL, "optional": True}, s={"type": "string"})
    assert read(schema, {"d": None, "s": "x"}) == {"d": None, "s": "x"}


_DEFAULTS: dict[str, Any] = {
    "type": "struct",
    "fields": [
        {"type": "string", "default": "x", "field": "required"},
        {"type": "int32", "optional": True, "default": 5, "field": "optional"},
        {**_DATE, "default": 1, "field": "date"},
        {"type": "array", "items": {"type": "int8", "default": 7}, "field": "list"},
    ],
}


def test_a_default_is_put_where_there_is_null_or_nothing() -> None:
    expected = {"required": "x", "optional": 5, "date": date(1970, 1, 2), "list": [1, 7]}
    assert read(_DEFAULTS, {"list": [1, None]}) == expected
    nulls = {"required": None, "optional": None, "date": None, "list": [1, None]}
    assert read(_DEFAULTS, nulls) == expected
    _, schema = convert(json.dumps({"schema": _DEFAULTS, "payload": nulls}).encode())
    assert schema is not None
    assert [field.schema.default for field in schema.fields] == ["x", 5, date(1970, 1, 2), None]


def test_null_stays_null_if_defaults_are_not_wanted() -> None:
    optional = {"type": "struct", "fields": [_DEFAULTS["fields"][1]]}
    assert read(optional, {}, replace_null_with_default="false") == {"optional": None}
    with pytest.raises(
        ConverterError, match="field required: Invalid null value for required STRING"
    ):
        read(_DEFAULTS, {}, replace_null_with_default="false")


def test_a_schema_has_all_that_json_says_of_it() -> None:
    document = {
        "type": "struct",
        "optional": True,
        "name": "my.Record",
        "version": 3,
        "doc": "about it",
        "parameters": {"a": "b"},
        "fields": [{**map_of({"type": "string"}, {"type": "int64"}), "field": "m"}],
    }
    _, schema = convert(json.dumps({"schema": document, "payload": None}).encode())
    inner = Schema(Kind.MAP, key=Schema(Kind.STRING), element=Schema(Kind.INT64))
    assert schema == Schema(
        Kind.STRUCT,
        optional=True,
        name="my.Record",
        version=3,
        parameters={"a": "b"},
        fields=(Field("m", inner),),
        doc="about it",
    )


def test_a_schema_is_read_once_and_shared_by_its_records() -> None:
    first, second = (convert(envelope(Schema(Kind.INT8), n))[1] for n in (1, 2))
    assert first is second
    other = converter(schemas_cache_size="1")
    schemas = [other(envelope(Schema(kind), 1))[1] for kind in (Kind.INT8, Kind.INT16, Kind.INT8)]
    assert schemas[0] == schemas[2] != schemas[1]
    assert schemas[0] is not schemas[2]


def test_a_fixed_schema_reads_bare_payloads() -> None:
    content = json.dumps({"type": "struct", "fields": [{**_DATE, "field": "d"}]})
    fixed = converter(schema_content=content)
    value, schema = fixed(b'{"d": 1, "other": 2}')
    assert value == {"d": date(1970, 1, 2)}
    assert schema is not None
    assert schema.kind is Kind.STRUCT
    assert fixed(None) == (None, None)
    with pytest.raises(ConverterError, match="field d: Invalid null value"):
        fixed(b'{"schema": null, "payload": {"d": 1}}')
    with pytest.raises(ConverterError, match="it is not JSON"):
        fixed(b"")


def test_a_fixed_schema_that_is_none_is_an_error_of_the_configuration() -> None:
    with pytest.raises(
        BadConfigError, match=r"schema\.content is not a schema of Connect: Unknown"
    ):
        converter(schema_content='{"type": "float32"}')


@given(typed=typed_values(), in_front=st.booleans())
@settings(derandomize=True, deadline=None, max_examples=200)
def test_what_connect_writes_is_read_back(typed: tuple[Schema, Any], *, in_front: bool) -> None:
    schema, value = typed
    document = {"schema": schema_json(schema), "payload": payload_json(schema, value)}
    if in_front:
        document = dict(reversed(document.items()))
    result, found_schema = convert(json.dumps(document).encode())
    assert repr(result) == repr(value)
    assert found_schema == schema


_HEAD = b'{"schema":{"type":"string"},"payload":'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (_HEAD + b'"b"}', "b"),
        (_HEAD + b' "b" }', "b"),
        (_HEAD + b'"b"}\n', "b"),
        (_HEAD + b'"\\ud800"}', "?"),
        (_HEAD + b'"b","payload":"c"}', "c"),
        (_HEAD + b'5,"payload":"c"}', "c"),
        (_HEAD + b'5,"schema":{"type":"int8"}}', 5),
        (b'{"schema":{"type":"int8"},"payload":5}', 5),
        (b'{"schema":null,"payload":{}}', {}),
    ],
)
def test_the_record_before_does_not_matter(text: bytes, value: Any) -> None:
    fresh, used = converter(), converter()
    used(_HEAD + b'"a"}')
    used(_HEAD + b'"a"}')
    assert used(text) == fresh(text)
    assert used(text)[0] == value


@pytest.mark.parametrize(
    "rest",
    [
        b"",
        b"}",
        b'"b"',
        b'"b"}}',
        b'"b","more":1}',
        b'"b"} x',
        b'"b"]',
        b"5}",
        b'"b"x}',
        b'"\xff"}',
    ],
)
def test_the_record_before_does_not_help_a_bad_one(rest: bytes) -> None:
    used = converter()
    used(_HEAD + b'"a"}')
    for convert_one in (used, converter()):
        with pytest.raises(ConverterError):
            convert_one(_HEAD + rest)
    assert used(_HEAD + b'"c"}')[0] == "c"
