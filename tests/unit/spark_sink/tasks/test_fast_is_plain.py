"""What typed decoding takes has the very row that the plain functions give."""

import json
import string
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.spark_sink.records.errors import RecordError
from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type
from frazil.spark_sink.tasks.columns import batch_of
from frazil.spark_sink.tasks.fast_decoder import fast_decoder

conversion = pytest.importorskip("frazil.spark_sink.records.conversion")
evolution = pytest.importorskip("frazil.spark_sink.records.schema.evolution")
rules = pytest.importorskip("frazil.spark_sink.records.schema.rules")
plain_json = pytest.importorskip("frazil.spark_sink.records.converters.plain_json")

_RULES = conversion.ConversionRules()
_CONVERT = plain_json.plain_json_converter()
_NAMES = ("a", "b", "A", "a.b", "class", "é", "with space", "")
_EXAMPLES = settings(max_examples=100, deadline=None, derandomize=True)

_TEXT = st.text(string.ascii_letters + 'é\x7f\0\\"/\N{GRINNING FACE}', max_size=5).map(json.dumps)
_INTEGERS = st.sampled_from(
    [0, 1, -1, 7, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 86_400_000]
)
_TIMES = st.sampled_from(
    ["2022-05-04T14:12:33Z", "2022-05-04T14:12:33.5Z", "2022-05-04 14:12:33.123456Z",
     "2022-05-04T14:12:33.123456789Z", "2022-05-04T14:12:33.1234567891Z", "2022-05-04T14:12Z",
     "2022-05-04T14Z", "2022-05-04T14+01:00", "2022-05-04T14:12+01:00", "2022-05-04T14:12:33+01",
     "2022-05-04T14:12:33+0130", "2022-05-04T14:12:33.123456789-19:30", "2022-05-04t14:12:33z",
     "2022-05-04T24:00:00Z", "2022-05-04T23:59:60Z", "2022-02-30T14:12:33Z", "2022-05-04",
     "2022-05-04T14:12:33", "2022-05-04T14:12:33.123456789", "2022-05-04 14:12", "2022-05-04T14",
     "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z",
     "10000-01-01T00:00:00Z", "1969-12-31T23:59:59.123456789Z", "1960-01-01T00:00:00.5Z",
     "1677-09-21T00:12:43.145224193Z", "2262-04-11T23:47:16.854775807Z", "1970-01-01T00:00:00Z",
     "0001-01-01T00:00:00+05:00", "20220504T141233Z", " 2022-05-04T14:12:33Z", "1651673553000", "",
     "2022-05-04T14:12:33,5Z", "2022-05-04T14:12:33.Z", "x", "2022-13-01", "0000-01-01",
     "+2022-05-04", "14:12:33", "14:12:33.123456"]
).map(json.dumps)  # fmt: skip
_FITTING: dict[str, st.SearchStrategy[str]] = {
    "boolean": st.sampled_from(["true", "false"]),
    "int": st.integers(-(2**31), 2**31 - 1).map(str),
    "long": st.integers(-(2**63), 2**63 - 1).map(str),
    "float": st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    "double": st.floats(allow_nan=False, allow_infinity=False).map(repr),
    "decimal": st.decimals(-999, 999, places=2).map(str),
    "string": _TEXT,
    "binary": st.sampled_from(['""', '"YQ=="', '"+/+/"']),
    "fixed": st.sampled_from(['"YWI="', '"YWM="']),
    "uuid": st.uuids().map(lambda uuid: json.dumps(str(uuid))),
    "variant": st.sampled_from(['{"a": [1, null, 1.5]}', '"x"', "7"]),
}
_ODD = st.sampled_from(
    ["null", "-0", "-0.0", "1.0", "1e2", "1e400", "9" * 20, "-9223372036854775809", "9" * 400,
     "1e300", "16777217", "9007199254740993", "3.4028235677973366e38", "5e-324", "0.1", '"NaN"',
     "NaN", "01", "1.", '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0061"', '"5"', '"true"', '""', "[]",
     "{}", "[null]", '{"a": null}', '{"a": 1, "a": "x"}', '{"a": {"b": 1e400}}', "[1, [2, [3]]]",
     '"YQ"', '"YR=="', "[" * 900 + "]" * 900, "[" * 2000 + "]" * 2000, '"' + "x" * 70_000 + '"',
     "tru", '"\t"']
)  # fmt: skip
_PRIMITIVES = st.sampled_from(
    [*map(Primitive, ("boolean", "int", "long", "float", "double", "string", "binary", "date",
                      "time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns", "uuid",
                      "variant")),
     Primitive("decimal", precision=9, scale=2), Primitive("fixed", length=2)]
)  # fmt: skip


def _nested(types: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    keys = st.sampled_from([Primitive("string")] * 3 + [Primitive("int"), Primitive("date")])
    return st.one_of(
        _structs(types),
        st.builds(List, types, st.booleans()),
        st.builds(Map, keys, types, st.booleans()),
    )


def _structs(types: st.SearchStrategy[Type]) -> st.SearchStrategy[Struct]:
    columns = st.builds(Column, st.sampled_from(_NAMES), types, st.booleans())
    several = st.lists(columns, min_size=1, max_size=4, unique_by=lambda column: column.name)
    return st.builds(lambda some: Struct(tuple(some)), several)


_SCHEMAS = _structs(st.recursive(_PRIMITIVES, _nested, max_leaves=4))


def _json_of(kind: Type, odd: int) -> st.SearchStrategy[str]:
    """Draw JSON for a type; of a hundred values so many are any."""
    if isinstance(kind, Struct):
        fitting = st.tuples(*(_member(column, odd) for column in kind.columns)).map(_object)
    elif isinstance(kind, List):
        fitting = st.lists(_json_of(kind.element, odd), max_size=3).map(
            lambda items: f"[{', '.join(items)}]"
        )
    elif isinstance(kind, Map):
        pairs = st.tuples(
            st.sampled_from(['"a"', '"1"', '"\\u0061"', '""']), _json_of(kind.value, odd)
        )
        fitting = st.lists(pairs, max_size=3).map(_object)
    elif kind.name in _FITTING:
        fitting = _FITTING[kind.name]
    else:
        fitting = st.one_of(_TIMES, _INTEGERS.map(str))
    if not odd:
        return fitting
    others = st.one_of(_ODD, _TIMES, _TEXT, _INTEGERS.map(str))
    return st.integers(0, 99).flatmap(lambda chance: others if chance < odd else fitting)


def _member(column: Column, odd: int) -> st.SearchStrategy[tuple[str, str] | None]:
    member = _json_of(column.type, odd).map(lambda text: (json.dumps(column.name), text))
    return member if column.required and odd < 20 else st.one_of(member, member, st.none())


def _object(members: Any) -> str:
    return "{" + ",".join(": ".join(member) for member in members if member) + "}"


@st.composite
def _documents(draw: st.DrawFn, schema: Struct) -> bytes | None:
    text = draw(_json_of(schema, draw(st.sampled_from([0, 2, 30]))))
    extra = draw(
        st.sampled_from(
            [*[b""] * 12, b', "new": 1', b', "new": "\xff"', b', "new": 1e400', b', "a": null',
             b', "new": null', b', "new": []', b', "new": {}', b', "New": {"a": 1}',
             b', "B": []', b', "CLASS": null', b', "CLASS": {}',
             b', "a": "2022-05-04"', b', "\xff": 1', b', "new": "\\ud800"',
             b', "new": {"a": [null]}']
        )
    )  # fmt: skip
    if text.startswith("{") and text != "{}":
        return text.encode()[:-1] + extra + b"}"
    odd = [b"", b" ", b"null", b"[]", b'"x"', b"{}", b"\xef\xbb\xbf{}", b"{} x", None]
    return draw(st.sampled_from([text.encode(), *odd]))


def _converts(kind: Type) -> Callable[[Any], Any]:
    row = conversion.row_converter(Struct((Column("value", kind),)), _RULES)
    return lambda value: row({"value": value}, None)[0]


def _texts(batch: pa.RecordBatch) -> list[str]:
    """Write columns in full: for Arrow, -0.0 equals 0.0."""
    return [column.to_string(window=99, container_window=99) for column in batch.columns]


@given(st.data(), _SCHEMAS, st.booleans(), st.booleans(), st.booleans())
@_EXAMPLES
def test_a_record_that_is_taken_has_its_plain_row(
    data: st.DataObject, schema: Struct, evolves: bool, ignore_case: bool, converts: bool
) -> None:
    decoder = fast_decoder(
        schema, evolves=evolves or ignore_case, converts=_converts if converts else None
    )
    if decoder is None:
        return
    values = data.draw(st.lists(_documents(schema), max_size=6))

    decoder.decode(data.draw(st.lists(_documents(schema), max_size=6)))
    batch, odd = decoder.decode(values)  # with what it has learned

    assert odd == sorted(set(odd))
    taken = [value for at, value in enumerate(values) if at not in set(odd)]
    plain = conversion.row_converter(schema, conversion.ConversionRules(ignore_case=ignore_case))
    documents = [_CONVERT(value)[0] for value in taken]
    rows = [plain(document, None) for document in documents]
    assert len(rows) == len(taken)
    expected = batch_of(rows, schema)
    batch.validate(full=True)
    assert batch.schema.equals(expected.schema, check_metadata=True)
    assert batch.equals(expected)
    assert _texts(batch) == _texts(expected)
    if evolves:
        ask = evolution.asking(schema, rules.EvolutionRules(ignore_case=ignore_case))
        assert not any(ask(document, None) for document in documents)


@given(st.data(), _SCHEMAS)
@_EXAMPLES
def test_a_record_that_is_refused_where_it_could_be_taken_is_rare(
    data: st.DataObject, schema: Struct
) -> None:
    decoder = fast_decoder(schema, evolves=False, converts=_converts)
    assert decoder is not None
    value = data.draw(_json_of(schema, 0)).encode()
    try:
        conversion.row_converter(schema, _RULES)(_CONVERT(value)[0], None)
    except RecordError:
        return

    assert decoder.decode([value]).odd == []
