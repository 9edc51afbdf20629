"""Typed decoding takes what is surely of the table's types, and leaves all else."""

import gc
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from frazil.spark_sink.records.errors import MisfitError
from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type
from frazil.spark_sink.tasks.fast_decoder import Decoded, FastDecoder, fast_decoder

_LONG, _STRING = Primitive("long"), Primitive("string")
_ODD = object()


def _decoder(
    kind: Type, *, required: bool = False, evolves: bool = True, converts: Any = None
) -> FastDecoder:
    schema = Struct((Column("c", kind, required, 1),))
    decoder = fast_decoder(schema, evolves=evolves, converts=converts)
    assert decoder is not None
    return decoder


def _values(decoded: Decoded, count: int) -> list[Any]:
    taken = iter(decoded.batch.column(0).to_pylist())
    return [_ODD if at in decoded.odd else next(taken) for at in range(count)]


def _texts(kind: Type) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if isinstance(kind, List):
            return [None if one is None else _texts(kind.element)(one) for one in value]
        if isinstance(value, dict):
            raise MisfitError((), "is a struct")
        return f"{kind} {value}"

    return convert


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("boolean", "true", True),
        ("boolean", "1", _ODD),
        ("boolean", '"true"', _ODD),
        ("int", "-2147483648", -(2**31)),
        ("int", "2147483648", _ODD),
        ("int", "true", _ODD),
        ("long", "9223372036854775807", 2**63 - 1),
        ("long", "9223372036854775808", _ODD),
        ("long", "1.0", _ODD),
        ("long", "1e2", _ODD),
        ("long", '"5"', _ODD),
        ("long", "05", _ODD),
        ("float", "1.5", 1.5),
        ("float", "3.4028235677973366e38", _ODD),
        ("double", "5", 5.0),
        ("double", "1e400", _ODD),
        ("double", '"NaN"', _ODD),
        ("double", "NaN", _ODD),
        ("string", '""', ""),
        ("string", '"\\u00e9\\u0000"', "é\0"),
        ("string", '"\\ud800"', _ODD),
        ("string", '"\xff"', "\xff"),
        ("string", "5", _ODD),
        ("string", "{}", _ODD),
        ("binary", '"YQ=="', b"a"),
        ("binary", '"YQ"', _ODD),
        ("date", '"2022-05-04"', date(2022, 5, 4)),
        ("date", "19116", date(2022, 5, 4)),
        ("date", '"2022-02-30"', _ODD),
        ("date", "2147483648", _ODD),
        ("string", "null", None),
    ],
)
def test_a_value_is_taken_if_it_is_of_the_columns_type(kind: str, text: str, value: Any) -> None:
    decoded = _decoder(Primitive(kind)).decode([f'{{"c": {text}}}'.encode()])

    assert _values(decoded, 1) == [value]


_MOMENT = datetime(2022, 5, 4, 14, 12, 33, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2022-05-04T14:12:33Z", _MOMENT),
        ("2022-05-04 14:12:33Z", _MOMENT),
        ("2022-05-04T16:12:33+02:00", _MOMENT),
        ("2022-05-04T14:12:33", _MOMENT),
        ("2022-05-04T14:12:33.123456Z", _MOMENT.replace(microsecond=123456)),
        ("2022-05-04T14:12:33.123456789Z", _MOMENT.replace(microsecond=123456)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59Z", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        (1651673553000, _MOMENT),
        (-1000, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("1969-12-31T23:59:59.123456789Z", _ODD),
        ("2022-05-04T14:12:33.1234567891Z", _ODD),
        ("2022-05-04T14:12:33z", _ODD),
        ("2022-05-04T14Z", _ODD),
        ("2022-05-04T14+01:00", _ODD),
        ("2022-05-04T24:00:00Z", _ODD),
        ("2022-05-04T23:59:60Z", _ODD),
        ("2022-02-30T14:12:33Z", _ODD),
        ("2022-05-04", _ODD),
        ("1651673553000", _ODD),
        ("", _ODD),
        (2**62, _ODD),
        (1.5, _ODD),
    ],
)
@pytest.mark.parametrize("beside", [[], ["2023-01-01T00:00:00.123456789Z", 7]])
def test_a_timestamp_is_taken_in_the_usual_forms(text: Any, value: Any, beside: list[Any]) -> None:
    values = [json.dumps({"c": one}).encode() for one in [text, *beside]]

    decoded = _decoder(Primitive("timestamptz"), converts=_no_conversion).decode(values)

    # Beside values of other kinds, bulk conversion may leave it to the plain functions.
    assert _values(decoded, len(values))[0] in ([value, _ODD] if beside else [value])


def _no_conversion(_: Type) -> Callable[[Any], Any]:
    def refuse(value: Any) -> Any:
        raise MisfitError((), f"is {value}")

    return refuse


def test_a_timestamp_without_zone_has_the_clocks_time() -> None:
    texts = ["2022-05-04T14:12:33Z", "2022-05-04T14:12:33", "2022-05-04T14:12:33+02:00"]
    decoder = _decoder(Primitive("timestamp"))
    clock = _MOMENT.replace(tzinfo=None)

    each = [decoder.decode([f'{{"c": "{text}"}}'.encode()]) for text in texts]
    together = decoder.decode([f'{{"c": "{text}"}}'.encode() for text in texts[::2]])

    assert [_values(decoded, 1) for decoded in each] == [[clock], [clock], [_ODD]]
    assert _values(together, 2)[0] in (clock, _ODD)
    assert 1 in together.odd


def test_one_odd_timestamp_does_not_touch_its_neighbours() -> None:
    texts = ["2022-05-04T14:12:33Z", "x", "2022-05-04T16:12:33+02:00", "y"]
    values = [json.dumps({"c": [{"t": one}]}).encode() for one in texts]
    kind = List(Struct((Column("t", Primitive("timestamptz"), required=True),)))

    decoded = _decoder(kind).decode([b"{", *values])

    assert _values(decoded, 5) == [_ODD, [{"t": _MOMENT}], _ODD, [{"t": _MOMENT}], _ODD]


@pytest.mark.parametrize(
    "value",
    [None, b"", b" ", b"null", b"[]", b'"x"', b"5", b"{", b'{"c": 1} x', b"\xef\xbb\xbf{}", b"{}\0",
     b'{"c": "x"}', b'{"c": ' + b"[" * 100_000, b'{"c": 1,}', b"{'c': 1}"],
)  # fmt: skip
def test_what_is_no_object_of_the_table_is_odd(value: bytes | None) -> None:
    decoded = _decoder(_LONG).decode([b'{"c": 1}', value, b"{}"])

    assert decoded.odd == [1]
    assert decoded.batch.column(0).to_pylist() == [1, None]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b'{"c": 1, "new": [{"a": 2}]}', 1),
        (b'{"new": "\xc3\xa9"}', None),
        (b'{"c": 1, "new": "\xff"}', _ODD),
        (b'{"c": 1, "\xff": 2}', _ODD),
        (b'{"c": 1, "new": 1e400}', _ODD),
        (b'{"c": 1, "new": "\\ud800"}', _ODD),
        (b'{"c": "x", "new": 1}', _ODD),
        (b'{"C": 1}', None),
    ],
)
def test_unknown_fields_are_ignored_unless_the_schema_evolves(value: bytes, expected: Any) -> None:
    for count in (1, 3):  # many of them change the way they are decoded
        fixed = _decoder(_LONG, evolves=False)
        assert _values(fixed.decode([value] * count), count) == [expected] * count
        assert _values(fixed.decode([value] * count), count) == [expected] * count
    assert _decoder(_LONG, evolves=True).decode([value]).odd == [0]


@pytest.mark.parametrize("empty", ["null", "[]", "{}"])
@pytest.mark.parametrize("document", ['{"new": %s}', '{"c": [{"x": 1, "new": %s}, null]}'])
def test_fields_that_are_empty_again_and_again_ask_for_no_column(document: str, empty: str) -> None:
    decoder = _decoder(List(Struct((Column("x", _LONG),))))
    value, full = (document % text for text in (empty, '{"a": null}'))

    assert decoder.decode([value.encode()] * 3).odd == [0, 1, 2]
    assert decoder.decode([value.encode(), full.encode(), value.encode()]).odd == [1]
    assert decoder.decode([value.replace("new", "X").encode()] * 2).odd == [0, 1]
    assert decoder.decode([value.replace("new", "X").encode()] * 2).odd == [0, 1]


def test_records_with_ever_new_unknown_fields_are_taken_all_the_same() -> None:
    decoder = _decoder(_LONG, evolves=False)
    for chunk in range(3):
        names = [[f"{chunk}.{record}.{at}" for at in range(20)] for record in range(20)]
        values = [dict.fromkeys(['quo"te', *some], 1) | {"c": 1} for some in names]
        decoded = decoder.decode([json.dumps(value).encode() for value in values])
        assert _values(decoded, 20) == [1] * 20


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (_LONG, "null"),
        (List(_LONG, required=True), "[1, null]"),
        (Map(_STRING, _LONG, required=True), '{"a": null}'),
        (Struct((Column("x", _LONG, required=True),)), '{"x": null}'),
        (Struct((Column("x", _LONG, required=True),)), "{}"),
        (Primitive("uuid"), "null"),
    ],
)
def test_a_required_value_that_is_missing_is_odd(kind: Type, text: str) -> None:
    decoder = _decoder(kind, required=True, converts=_texts)

    assert decoder.decode([b"{}", f'{{"c": {text}}}'.encode()]).odd == [0, 1]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (List(_LONG), "[1, null]", [1, None]),
        (Map(_STRING, _LONG), '{"a": 1, "b": null, "\\u0061": 2}', [("a", 2), ("b", None)]),
        (Struct((Column("x", _LONG), Column("y", _LONG))), '{"y": 1}', {"x": None, "y": 1}),
        (Struct((Column("x", _LONG),)), "null", None),
        (Struct((Column("x", _LONG, required=True),)), "null", None),
        (List(Struct((Column("x", _LONG),))), '[{"x": 1}, null]', [{"x": 1}, None]),
    ],
)
def test_nested_values_are_taken(kind: Type, text: str, expected: Any) -> None:
    decoded = _decoder(kind).decode([f'{{"c": {text}}}'.encode()])

    decoded.batch.validate(full=True)
    assert _values(decoded, 1) == [expected]


def test_of_two_equal_keys_the_last_counts() -> None:
    decoded = _decoder(Struct((Column("x", _LONG), Column("y", _LONG)))).decode(
        [b'{"c": {"x": 1}, "c": {"y": 2}}', b'{"c": {"x": 1}, "c": null}']
    )

    assert _values(decoded, 2) == [{"x": None, "y": 2}, None]


def test_columns_may_have_any_name() -> None:
    names = ["a.b", "class", "A", "a", "with space", "", "é", "f0", "__class__"]
    schema = Struct(tuple(Column(name, _LONG) for name in names))
    decoder = fast_decoder(schema, evolves=True)
    assert decoder is not None

    record = {name: at for at, name in enumerate(names)}
    decoded = decoder.decode(
        [json.dumps(record).encode(), json.dumps(record, ensure_ascii=False).encode()]
    )

    assert decoded.batch.to_pylist() == [record, record]


@pytest.mark.parametrize(
    "columns",
    [
        [Column('quo"te', _LONG)],
        [Column("c", Struct(()))],
        [Column("c", Primitive("geometry"))],
        [Column("c", Primitive("decimal", 9, 2))],
        [Column("c", Map(_LONG, _LONG))],
    ],
)
def test_tables_beyond_typed_decoding_are_not_served(columns: list[Column]) -> None:
    assert fast_decoder(Struct(tuple(columns)), evolves=True) is None


def test_values_without_a_type_of_their_own_go_through_the_plain_conversion() -> None:
    kind = Map(_STRING, _STRING)
    values = [b'{"c": {"a": "x", "b": 5}}', b'{"c": {"a": {}}}', b'{"c": {"a": null, "b": true}}']

    assert _decoder(kind).decode(values).odd == [0, 1, 2]
    decoded = _decoder(kind, converts=_texts).decode(values)

    assert _values(decoded, 3) == [
        [("a", "x"), ("b", "string 5")],
        _ODD,
        [("a", None), ("b", "string True")],
    ]


def test_garbage_collection_is_as_before_afterwards() -> None:
    _decoder(_LONG).decode([b"{"])

    assert gc.isenabled()


def test_no_records_are_an_empty_batch() -> None:
    decoded = _decoder(List(_LONG)).decode([])

    assert (decoded.batch.num_rows, decoded.odd) == (0, [])
