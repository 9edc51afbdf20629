"""A hostile record is a row or one dead letter with a sentence, and its neighbours never see it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.unit.spark_sink.tasks.test_write import COLUMNS, Driver, Lab, record_plan, rows

from frazil.spark_sink.records.errors import Stage
from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type
from frazil.spark_sink.tasks.result import WriteResult

FILTERED = object()
DEEP = "the JSON is nested too deeply"
NO_JSON = "it is not JSON in UTF-8: "
LONG_NUMBER = f"{NO_JSON}a number has more than 4300 digits"
INFINITE = f"{NO_JSON}a number is out of the range of a double"
BEYOND = "column id of type long cannot hold a number beyond its range"
SCHEMAS = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "true",
}


class Refused(str):
    """How the sentence of the dead letter begins."""


def field(name: bytes, value: bytes) -> bytes:
    return b'{"id":7,"%b":%b}' % (name, value)


def row(name: str | None = None, number: int = 7) -> dict[str, Any]:
    return {"id": number, "name": name}


def nested(open_: bytes, close: bytes, depth: int) -> bytes:
    return open_ * depth + b"1" + close * depth


ROWS: dict[str, tuple[bytes, Any]] = {
    "10,000 brackets in a column": (field(b"name", nested(b"[", b"]", 10_000)), Refused(DEEP)),
    "10,000 brackets in an unknown field": (field(b"x", nested(b"[", b"]", 10_000)), Refused(DEEP)),
    "10,000 brackets that nobody closes": (field(b"name", b"[" * 10_000), Refused(DEEP)),
    "10,000 objects": (field(b"name", nested(b'{"a":', b"}", 10_000)), Refused(DEEP)),
    "900 brackets are text": (
        field(b"name", nested(b"[", b"]", 900)),
        row("[" * 900 + "1" + "]" * 900),
    ),
    "900 brackets in an unknown field": (field(b"x", nested(b"[", b"]", 900)), row()),
    "5,000 digits": (b'{"id":%b}' % (b"1" * 5_000), Refused(LONG_NUMBER)),
    "5,000 digits for a text": (field(b"name", b"1" * 5_000), Refused(LONG_NUMBER)),
    "5,000 digits in an unknown field": (field(b"x", b"1" * 5_000), Refused(LONG_NUMBER)),
    "4,300 digits for a text": (field(b"name", b"1" * 4_300), row("1" * 4_300)),
    "4,300 digits below zero": (field(b"name", b"-" + b"1" * 4_300), row("-" + "1" * 4_300)),
    "4,000 digits for a number": (b'{"id":%b}' % (b"1" * 4_000), Refused(BEYOND)),
    "5,000 digits in a text": (b'{"id":"%b"}' % (b"1" * 5_000), Refused(BEYOND)),
    "a fraction of 5,000 digits": (
        field(b"name", b"0." + b"1" * 5_000),
        row("0.1111111111111111"),
    ),
    "1e400": (field(b"name", b"1e400"), Refused(INFINITE)),
    "-1e400 in an unknown field": (field(b"x", b"-1e400"), Refused(INFINITE)),
    "an exponent of nine digits": (b'{"id":1e999999999}', Refused(INFINITE)),
    "an exponent of 5,000 digits": (b'{"id":1e%b}' % (b"9" * 5_000), Refused(INFINITE)),
    "an exponent of nine digits below zero": (b'{"id":1e-999999999}', row(number=0)),
    "an exponent in a text": (b'{"id":"1e999999999"}', Refused(BEYOND)),
    "2^63": (b'{"id":9223372036854775808}', Refused(BEYOND)),
    "-0": (b'{"id":-0}', row(number=0)),
    "-0 as a text": (field(b"name", b"-0"), row("0")),
    "-0.0 as a text": (field(b"name", b"-0.0"), row("-0.0")),
    "zeros before a number": (b'{"id":007}', row()),
    "a key twice, the last counts": (b'{"id":8,"id":7}', row()),
    "a key twice, once escaped": (b'{"id":8,"\\u0069d":7}', row()),
    "a key twice, the first is odd": (b'{"id":"x","id":7}', row()),
    "a key twice, the last is odd": (
        b'{"id":7,"id":"x"}',
        Refused("column id of type long cannot hold text that is not a number"),
    ),
    "a key twice, the last is null": (
        b'{"id":7,"id":null}',
        Refused("column id is required and has no value"),
    ),
    "half a surrogate pair": (field(b"name", b'"\\ud800"'), row("?")),
    "half a surrogate pair in a name": (field(b"\\ud800", b"1"), row()),
    "half a surrogate pair in bytes": (field(b"name", b'"\xed\xa0\x80"'), Refused(NO_JSON)),
    "bytes that are no UTF-8": (field(b"name", b'"\xff"'), Refused(NO_JSON)),
    "no UTF-8 in an unknown field": (field(b"x", b'"\xff"'), Refused(NO_JSON)),
    "no UTF-8 in a name": (field(b"\xff", b"1"), Refused(NO_JSON)),
    "NUL in two bytes": (field(b"name", b'"\xc0\x80"'), Refused(NO_JSON)),
    "UTF-16": ('{"id":7}'.encode("utf-16"), Refused(NO_JSON)),
    "a byte order mark": (b'\xef\xbb\xbf{"id":7}', row()),
    "two byte order marks": (b'\xef\xbb\xbf\xef\xbb\xbf{"id":7}', Refused(NO_JSON)),
    "a byte order mark alone": (b"\xef\xbb\xbf", Refused(NO_JSON)),
    "NUL": (b"\0", Refused(NO_JSON)),
    "NUL behind a document": (b'{"id":7}\0', Refused(NO_JSON)),
    "NUL in a text": (field(b"name", b'"\0"'), Refused(NO_JSON)),
    "NUL in a text, escaped": (field(b"name", b'"\\u0000"'), row("\0")),
    "NaN": (field(b"name", b"NaN"), Refused(f"{NO_JSON}NaN is no number of JSON")),
    "NaN in an unknown field": (field(b"x", b"NaN"), Refused(f"{NO_JSON}NaN is no number")),
    "Infinity": (b'{"id":Infinity}', Refused(f"{NO_JSON}Infinity is no number of JSON")),
    "-Infinity": (b'{"id":-Infinity}', Refused(f"{NO_JSON}-Infinity is no number of JSON")),
    "a control character": (field(b"name", b'"\x01"'), Refused(NO_JSON)),
    "a control character in an unknown field": (field(b"x", b'"\t"'), Refused(NO_JSON)),
    "control characters, escaped": (field(b"name", b'"\\u0001\\u001f"'), row("\x01\x1f")),
    "DEL": (field(b"name", b'"\x7f"'), row("\x7f")),
    "a vertical tab between tokens": (b'{"id":\x0b7}', Refused(NO_JSON)),
    "text behind a document": (b'{"id":7} x', Refused(NO_JSON)),
    "two documents": (b'{"id":7}{"id":8}', Refused(NO_JSON)),
    "an empty value": (b"", FILTERED),
    "blanks": (b" \t\r\n", FILTERED),
    "null": (b"null", FILTERED),
    "an empty object": (b"{}", Refused("column id is required and has no value")),
    "a list": (b"[]", Refused("a record that is a list cannot be a row")),
    "a text": (b'"x"', Refused("a record that is text cannot be a row")),
    "a number": (b"7", Refused("a record that is a number cannot be a row")),
    "a boolean": (b"true", Refused("a record that is a boolean cannot be a row")),
    "a name of a million letters": (field(b"k" * 1_000_000, b"1"), row()),
    "a name of escapes": (field(b"\\u006b" * 10_000, b"1"), row()),
    "an empty name": (field(b"", b"1"), row()),
    "a quote in a name": (field(b'a\\"b', b"1"), row()),
    "a column's name in capitals": (b'{"id":7,"ID":8}', row()),
    "10,000 names": (
        b'{"id":7,%b}' % b",".join(b'"k%d":1' % at for at in range(10_000)),
        row(),
    ),
}


def table(**columns: Type) -> Struct:
    added = (Column(name, kind, id=at) for at, (name, kind) in enumerate(columns.items(), 10))
    return Struct((*COLUMNS.columns, *added))


def outcome(lab: Lab, value: bytes, neighbours: tuple[Any, Any]) -> Any:
    """Write a record between two good ones, and return what became of it."""
    result = lab.write([neighbours[0], value, neighbours[1]])
    letters, found = _letters(result), rows(result)
    assert [one["id"] for one in found if one["id"] in (1, 3)] == [1, 3]
    found = [one for one in found if one["id"] not in (1, 3)]
    counts = result.tables["a.b"].counts
    assert len(found) + len(letters) + counts.filtered == 1
    return letters[0] if letters else found[0] if found else FILTERED


def _letters(result: WriteResult) -> list[Any]:
    assert result.failure is None
    assert result.tables["a.b"].failure is None
    kept = result.tables["a.b"].dead_letters.kept
    assert all(letter.record.offset == 1 for letter in kept)
    return [(letter.stage, letter.message) for letter in kept]


@pytest.mark.parametrize("fast", [True, False], ids=["decoded by type", "decoded plainly"])
@pytest.mark.parametrize(("value", "expected"), ROWS.values(), ids=ROWS.keys())
def test_a_hostile_record_costs_itself_alone(
    tmp_path: Path, value: bytes, expected: Any, *, fast: bool
) -> None:
    found = outcome(Lab(tmp_path, replace(record_plan(), fast=fast)), value, ({"id": 1}, {"id": 3}))
    if not isinstance(expected, Refused):
        assert found == expected
        return
    stage, message = found
    assert message.startswith(expected)
    of_json = expected == DEEP or expected.startswith(NO_JSON)
    assert stage is (Stage.VALUE_CONVERTER if of_json else Stage.PUT)


KINDS = [
    *map(Primitive, ("boolean", "int", "float", "double", "date", "time", "timestamp",
                     "timestamptz", "timestamp_ns", "uuid", "binary")),
    Primitive("decimal", precision=38, scale=2),
    Primitive("fixed", length=2),
    List(Primitive("double"), element_id=20),
    Map(Primitive("int"), Primitive("string"), key_id=20, value_id=21),
    Struct((Column("a", Primitive("int"), id=20),)),
]  # fmt: skip
VALUES = [
    b"-0.0", b"1e308", b"1e39", b"1e-400", b"9" * 39, b"9" * 400, b'"1e999999999"', b'"NaN"',
    b'"-Infinity"', b'""', b'" "', b'"\\ud800"', b'"\\u0661"', b'"1_0"', b'"-0001-01-01"',
    b'"2022-02-30"', b'"+999999999-12-31T23:59:59Z"', b'"2022-05-04T14:12:33.%bZ"' % (b"1" * 5_000),
    b'"24:00:00"', b'"YQ="', b'"YWI=\\u0000"', b"[]", b"{}", b"[null]", b'{"a":null}',
    b'{"a":1,"a":"x"}', b'{"a":"x","a":1}', b'{"1":"x","01":"y"}', b'{"\\ud800":"x","?":"y"}',
    b"[-0.0,1e-400]", b"[%b]" % (b"9" * 400), b"[" * 300 + b"]" * 300, b"[" * 990 + b"]" * 990,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_hostile_value_is_the_same_however_it_is_decoded(tmp_path: Path, kind: Type) -> None:
    for at, value in enumerate(VALUES):
        by_type, plainly = (
            content(
                Lab(tmp_path / f"{at}-{fast}", replace(record_plan(), fast=fast), table(c=kind)),
                field(b"c", value),
            )
            for fast in (True, False)
        )
        assert by_type == plainly, value


def content(lab: Lab, value: bytes) -> tuple[str, list[Any]]:
    """Write a record between two good ones; the rows are texts, for Python has fewer times."""
    result = lab.write([{"id": 1}, value, {"id": 3}])
    letters = _letters(result)
    paths = [file.path.removeprefix("file:") for file in result.tables["a.b"].files]
    found = pa.concat_tables(map(pq.read_table, paths)).sort_by("id")
    assert found["id"].to_pylist() == ([1, 3] if letters else [1, 3, 7])
    return found["c"].to_string(window=99, container_window=99), letters


def objects(depth: int) -> tuple[dict[str, Any], Any]:
    schema: dict[str, Any] = {"type": "int32"}
    value: Any = 1
    for _ in range(depth):
        schema = {"type": "struct", "optional": True, "fields": [{**schema, "field": "a"}]}
        value = {"a": value}
    return schema, value


def lists(depth: int) -> tuple[dict[str, Any], Any]:
    schema: dict[str, Any] = {"type": "int32"}
    value: Any = 1
    for _ in range(depth):
        schema = {"type": "array", "optional": True, "items": schema}
        value = [value]
    return schema, value


@pytest.mark.parametrize("make", [objects, lists])
@pytest.mark.parametrize("depth", [47, 48, 49, 64, 150])
@pytest.mark.parametrize("schemas", [False, True], ids=["without a schema", "with a schema"])
def test_columns_for_deep_values_can_be_read_by_arrow(
    tmp_path: Path, make: Any, depth: int, *, schemas: bool
) -> None:
    schema, value = make(depth)
    document: Any = {"id": 7, "x": value}
    keys = SCHEMAS if schemas else {}
    if schemas:
        fields = [{"type": "int64", "field": "id"}, {**schema, "field": "x"}]
        document = {"schema": {"type": "struct", "fields": fields}, "payload": document}
    driver = Driver(tmp_path, fast=True, table=COLUMNS, keys=keys)
    (text,), dead = driver.write([document], 0, 1000)
    assert not dead
    assert json.loads(text)["id"] == 7
    assert json.loads(text)["x"] is not None


@pytest.mark.parametrize("make", [objects, lists])
def test_a_schema_without_bottom_costs_its_record_alone(tmp_path: Path, make: Any) -> None:
    good = [{"schema": None, "payload": {"id": number}} for number in (1, 3)]
    for depth in (100, 200, 300, 350, 400, 450):
        schema, value = make(depth)
        fields = [{"type": "int64", "field": "id"}, {**schema, "field": "x"}]
        document = {
            "schema": {"type": "struct", "fields": fields},
            "payload": {"id": 7, "x": value},
        }
        lab = Lab(tmp_path / str(depth), record_plan(**SCHEMAS))
        found = outcome(lab, json.dumps(document).encode(), (good[0], good[1]))
        assert found == row() or found[0] is Stage.VALUE_CONVERTER
