"""What becomes of one record on its whole way: bytes, converter, transforms, column, file."""

import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.unit.spark_sink.tasks.test_write import CONNECT, Lab, chunks, record_plan, rows

from frazil.spark_sink.records.errors import Stage
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.records.schema.types import Column, List, Primitive, Struct, Type
from frazil.spark_sink.tasks.chunks import ArrowChunk
from frazil.spark_sink.tasks.plan import TaskPlan
from frazil.spark_sink.tasks.write import write

CONNECT_DATA = "org.apache.kafka.connect.data."
SCHEMAS = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "true",
}
KEPT_NULLS = {**SCHEMAS, "value.converter.replace.null.with.default": "false"}
BOOLEAN, INT, LONG, DOUBLE, TEXT, DATE, TIME, MOMENT = map(
    Primitive, ("boolean", "int", "long", "double", "string", "date", "time", "timestamptz")
)
MONEY = Primitive("decimal", precision=38, scale=2)
PLAIN: dict[str, str] = {}
NOON = datetime(2022, 5, 4, 14, 12, 33, tzinfo=UTC)
MILLIS = 1_651_673_553_000


class Refused(str):
    """The sentence of the dead letter, or how it begins."""


def transform(kind: str, **keys: str) -> dict[str, str]:
    keys = {name.replace("_", "."): value for name, value in keys.items()}
    return {
        "transforms": "a",
        "transforms.a.type": CONNECT + kind,
        **{f"transforms.a.{name}": value for name, value in keys.items()},
    }


def cast(kind: str) -> dict[str, str]:
    return transform("Cast$Value", spec=f"c:{kind}")


def time_of_day(kind: str) -> dict[str, str]:
    return transform("TimestampConverter$Value", field="c", target_type=kind)


def value(c: Any) -> bytes:
    return json.dumps({"c": c}).encode()


def envelope(c: Any, kind: str, name: str = "", **more: Any) -> bytes:
    field = {"type": kind, "optional": True, "field": "c", **more}
    if name:
        field |= {"name": CONNECT_DATA + name, "version": 1}
    schema = {"type": "struct", "fields": [field]}
    return json.dumps({"schema": schema, "payload": {"c": c}}).encode()


def money(c: Any) -> bytes:
    return envelope(c, "bytes", "Decimal", parameters={"scale": "2"})


_AB = Struct((Column("a", LONG, id=20), Column("l", List(LONG, element_id=22), id=21)))

CASES: dict[str, tuple[bytes, dict[str, str], Type, Any]] = {
    "milliseconds become a time": (value(MILLIS), time_of_day("Timestamp"), MOMENT, NOON),
    "a text without a format is no time": (
        value("x"), time_of_day("Timestamp"), MOMENT, Refused("field c is no time")),
    "milliseconds become a date": (value(MILLIS), time_of_day("Date"), DATE, date(2022, 5, 4)),
    "milliseconds become a time of day": (
        value(MILLIS), time_of_day("Time"), TIME, time(14, 12, 33)),
    "3 is true": (value(3), cast("boolean"), BOOLEAN, True),
    "0 is false": (value(0), cast("boolean"), BOOLEAN, False),
    "the text true is true": (value("true"), cast("boolean"), BOOLEAN, True),
    "another text is false": (value("x"), cast("boolean"), BOOLEAN, False),
    "2.9 is cut to 2": (value(2.9), cast("int32"), INT, 2),
    "the text 2.9 is no integer": (
        value("2.9"), cast("int32"), INT, Refused("field c is the text '2.9'")),
    "1e10 is no int32": (
        value(1e10), cast("int32"), INT, Refused("field c is out of the range of int32")),
    "a blank before a number": (
        value(" 12"), cast("int32"), INT, Refused("field c is the text ' 12'")),
    "wide digits": (value("１２"), cast("int32"), INT, 12),  # noqa: RUF001
    "a decimal that is null": (money(None), SCHEMAS, MONEY, None),
    "a decimal in base64": (money("AMg="), SCHEMAS, MONEY, Decimal("2.00")),
    "a decimal that is a number": (money(1.005), SCHEMAS, MONEY, Decimal("1.01")),
    "a decimal that is neither": (
        money("?"), SCHEMAS, MONEY, Refused("field c: Invalid bytes field")),
    "Connect's time of day": (
        envelope(86_399_999, "int32", "Time"), SCHEMAS, TIME, time(23, 59, 59, 999_000)),
    "a time before midnight": (
        envelope(-1, "int32", "Time"), SCHEMAS, TIME, Refused("field c: time -1 ms is not within")),
    "null takes the default": (envelope(None, "int32", default=5), SCHEMAS, INT, 5),
    "null stays null where that is asked": (
        envelope(None, "int32", default=5), KEPT_NULLS, INT, None),
    "a payload that is no struct": (
        b'{"schema":null,"payload":"x"}', SCHEMAS, TEXT,
        Refused("a record that is text cannot be a row")),
    "a document without an envelope": (
        value(1), SCHEMAS, INT, Refused('JsonConverter with schemas.enable requires "schema"')),
    "a text that is hoisted": (b'"x"', transform("HoistField$Value", field="c"), TEXT, "x"),
    "null that is hoisted": (b"null", transform("HoistField$Value", field="c"), TEXT, None),
    "a list in a flattened record": (
        value([1, 2]), transform("Flatten$Value"), List(LONG, element_id=20), [1, 2]),
    "a list that a struct lacks": (value({"a": 1}), PLAIN, _AB, {"a": 1, "l": None}),
    "a time without seconds": (
        value("2022-05-04T14:12Z"), PLAIN, MOMENT, NOON.replace(second=0)),
    "a date for a time": (value("2022-05-04"), PLAIN, MOMENT, datetime(2022, 5, 4, tzinfo=UTC)),
    "ten digits of a second": (
        value("2022-05-04T14:12:33.1234567891Z"), PLAIN, MOMENT, NOON.replace(microsecond=123_456)),
    "the year 1": (value("0001-01-01T00:00:00Z"), PLAIN, MOMENT, datetime(1, 1, 1, tzinfo=UTC)),
    "a time of day": (value("14:12:33"), PLAIN, TIME, time(14, 12, 33)),
    "1.5 for a long": (
        value(1.5), PLAIN, LONG, Refused("column c of type long cannot hold a number with a frac")),
    "1.0 for a long": (value(1.0), PLAIN, LONG, 1),
    "2^31 for an int": (
        value(2**31), PLAIN, INT, Refused("column c of type int cannot hold a number beyond")),
    "30 digits for a double": (value(int("1" * 30)), PLAIN, DOUBLE, 1.111111111111111e29),
    "5 for a text": (value(5), PLAIN, TEXT, "5"),
    "the text 1 for a boolean": (value("1"), PLAIN, BOOLEAN, True),
    "the text yes for a boolean": (
        value("yes"), PLAIN, BOOLEAN, Refused("column c of type boolean cannot hold text other")),
    "an empty text for a boolean": (
        value(""), PLAIN, BOOLEAN, Refused("column c of type boolean cannot hold text other")),
    "0 for a boolean": (value(0), PLAIN, BOOLEAN, False),
}  # fmt: skip


@pytest.mark.parametrize(("record", "keys", "kind", "expected"), CASES.values(), ids=CASES.keys())
def test_a_record_is_a_value_or_a_sentence(
    tmp_path: Path, record: bytes, keys: dict[str, str], kind: Type, expected: Any
) -> None:
    lab = Lab(tmp_path, record_plan(**keys), Struct((Column("c", kind, id=1),)))
    result = lab.write([record])
    assert result.failure is None
    letters = [letter.message for letter in result.tables["a.b"].dead_letters.kept]
    if isinstance(expected, Refused):
        assert rows(result) == []
        (message,) = letters
        assert message.startswith(expected)
    else:
        assert (rows(result), letters) == ([{"c": expected}], [])


MIXED = [value(one) for one in (MILLIS, "x", 3, "true", 2.9, None, 0)]


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (time_of_day("Timestamp"), MOMENT),
        (cast("boolean"), BOOLEAN),
        (cast("int32"), INT),
        (cast("string"), TEXT),
    ],
    ids=["times", "booleans", "integers", "texts"],
)
def test_transforms_know_nothing_of_the_neighbours(
    tmp_path: Path, keys: dict[str, str], kind: Type
) -> None:
    columns = Struct((Column("c", kind, id=1),))
    together = Lab(tmp_path / "all", record_plan(**keys), columns).write(MIXED)
    alone = [
        Lab(tmp_path / str(at), record_plan(**keys), columns).write([one])
        for at, one in enumerate(MIXED)
    ]
    assert rows(together) == [row for one in alone for row in rows(one)]
    letters = [one.tables["a.b"].dead_letters.count for one in alone]
    assert together.tables["a.b"].dead_letters.count == sum(letters)
    assert sum(letters) + len(rows(together)) == len(MIXED)


def test_a_record_that_is_filtered_out_asks_for_no_table(tmp_path: Path) -> None:
    lab = Lab(tmp_path, record_plan(**transform("Filter")), Struct(()))
    table = lab.write([value(1)], evolution=EvolutionRules(creating=True)).tables["a.b"]
    assert (table.asked, table.counts.filtered, table.counts.dead) == ((), 1, 0)


def test_a_record_that_a_transform_refuses_asks_for_no_column(tmp_path: Path) -> None:
    lab = Lab(tmp_path, record_plan(**cast("int32")), Struct((Column("id", LONG, id=1),)))
    table = lab.write([value("x")], evolution=EvolutionRules()).tables["a.b"]
    assert (table.asked, table.counts.dead) == ((), 1)
    assert table.dead_letters.kept[0].stage is Stage.TRANSFORMATION


def test_a_key_that_cannot_be_read_is_a_dead_letter_of_its_converter(tmp_path: Path) -> None:
    keys = {"key.converter": "org.apache.kafka.connect.converters.IntegerConverter"}
    lab = Lab(tmp_path, record_plan(**keys), Struct((Column("c", INT, id=1),)))
    (chunk,) = chunks([value(1), value(2)])
    at = chunk.batch.schema.get_field_index("key")
    odd = chunk.batch.set_column(at, "key", pa.array([b"\0\0\0\1", b"x"], pa.binary()))
    chunk = ArrowChunk("t", 0, odd)
    result = write(TaskPlan(lab.records, {"a.b": lab.plan()}), [chunk])
    assert rows(result) == [{"c": 1}]
    (letter,) = result.tables["a.b"].dead_letters.kept
    assert (letter.stage, letter.record.offset) == (Stage.KEY_CONVERTER, 1)
