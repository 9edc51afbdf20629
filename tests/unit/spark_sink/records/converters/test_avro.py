import io
import json
import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.schema_registry import schema_registry

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters import converter_of
from frazil.spark_sink.records.converters.avro import converter_with
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Field, Kind, Schema
from frazil.spark_sink.records.registry import RegisteredSchema, UnknownSchemaError
from frazil.worker.errors import UnavailableError

_CONNECT = "io.confluent.connect.avro"
OWN = "avro.logicalType"


def message(schema: Any, value: Any, number: int = 1) -> bytes:
    """Write a value of a schema, which has no logical types here."""
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(schema), value)
    return struct.pack(">bI", 0, number) + stream.getvalue()


def without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [without_logical_types(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: without_logical_types(v) for k, v in schema.items() if k != "logicalType"}


def registered(*schemas: Any) -> Callable[[int], RegisteredSchema]:
    texts = dict(enumerate(map(json.dumps, schemas), 1))

    def lookup(number: int) -> RegisteredSchema:
        if number not in texts:
            raise UnknownSchemaError(f"the schema registry has no /schemas/ids/{number}")
        return RegisteredSchema(texts[number])

    return lookup


def convert(schema: Any, value: Any, **options: bool) -> tuple[Any, Schema | None]:
    text = message(without_logical_types(schema), value)
    return converter_with(registered(schema), **options)(text)


def record(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "record",
        "name": name,
        "fields": [
            {"name": field, **kind} if has_default(kind) else {"name": field, "type": kind}
            for field, kind in fields.items()
        ],
    }


def has_default(field: Any) -> bool:
    return isinstance(field, dict) and "default" in field


def logical(kind: str, word: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": word, **more}


_DATE = Schema(Kind.INT32, name=DATE, version=1)
_TIME = Schema(Kind.INT32, name=TIME, version=1)
_TIMESTAMP = Schema(Kind.INT64, name=TIMESTAMP, version=1)


def alike(name: str | None, word: str, kind: Kind = Kind.INT64) -> Schema:
    version = None if name is None else 1
    return Schema(kind, name=name, version=version, parameters={OWN: word})


def decimal(scale: str, **parameters: str) -> Schema:
    return Schema(Kind.BYTES, name=DECIMAL, version=1, parameters={"scale": scale, **parameters})


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENT = datetime(2022, 5, 4, 14, 12, 0, 123_456, tzinfo=UTC)
MICROS = 1_651_673_520_123_456


@pytest.mark.parametrize(
    ("avro", "written", "value", "schema"),
    [
        ("boolean", True, True, Schema(Kind.BOOLEAN)),
        ("int", -5, -5, Schema(Kind.INT32)),
        ("long", 2**62, 2**62, Schema(Kind.INT64)),
        ("float", 0.5, 0.5, Schema(Kind.FLOAT32)),
        ("double", 0.1, 0.1, Schema(Kind.FLOAT64)),
        ("bytes", b"\0\xff", b"\0\xff", Schema(Kind.BYTES)),
        ("string", "\u20ac", "\u20ac", Schema(Kind.STRING)),
        ({"type": "string", "avro.java.string": "String"}, "a", "a",
         Schema(Kind.STRING, parameters={"avro.java.string": "String"})),
        ({"type": "int", "connect.type": "int8"}, 1, 1, Schema(Kind.INT8)),
        ({"type": "int", "connect.type": "int16"}, 1, 1, Schema(Kind.INT16)),
        ({"type": "int", "logicalType": "unknown"}, 1, 1, Schema(Kind.INT32)),
        (logical("int", "date"), -1, date(1969, 12, 31), _DATE),
        (logical("int", "time-millis"), 1, time(0, 0, 0, 1000), _TIME),
        (logical("long", "timestamp-millis"), 1, EPOCH.replace(microsecond=1000), _TIMESTAMP),
        (logical("long", "time-micros"), 1, time(0, 0, 0, 1), alike(TIME, "time-micros")),
        (logical("long", "timestamp-micros"), MICROS, MOMENT, alike(TIMESTAMP, "timestamp-micros")),
        (logical("long", "local-timestamp-millis"), 1, EPOCH.replace(microsecond=1000),
         alike(TIMESTAMP, "local-timestamp-millis")),
        (logical("long", "local-timestamp-micros"), MICROS, MOMENT,
         alike(TIMESTAMP, "local-timestamp-micros")),
        (logical("long", "timestamp-nanos"), 5, 5, alike(None, "timestamp-nanos")),
        (logical("long", "local-timestamp-nanos"), 5, 5, alike(None, "local-timestamp-nanos")),
        (logical("string", "uuid"), "x", "x", alike(None, "uuid", Kind.STRING)),
        (logical("bytes", "decimal", precision=9, scale=2), b"\xff", Decimal("-0.01"),
         decimal("2", **{"connect.decimal.precision": "9"})),
        (logical("bytes", "decimal", precision=64), b"\x01\0", Decimal(256),
         decimal("0")),
        (logical("bytes", "decimal", precision=64, scale=40), (10**45).to_bytes(20),
         Decimal("100000." + "0" * 40), decimal("40")),
        (logical("fixed", "decimal", name="n.D", size=2, precision=64, scale=1), b"\xff\xfe",
         Decimal("-0.2"), decimal("1", **{"connect.fixed.size": "2"})),
        ({"type": "fixed", "name": "n.F", "size": 2}, b"ab", b"ab",
         Schema(Kind.BYTES, name="n.F", parameters={"connect.fixed.size": "2"})),
        ({"type": "enum", "name": "n.E", "symbols": ["A", "B"], "default": "A", "doc": "d"},
         "B", "B",
         Schema(Kind.STRING, name="n.E", parameters={
             f"{_CONNECT}.Enum": "n.E", f"{_CONNECT}.Enum.A": "A", f"{_CONNECT}.Enum.B": "B",
             f"{_CONNECT}.enum.doc.E": "d", f"{_CONNECT}.enum.default.E": "A"})),
        ({"type": "array", "items": "int"}, [1, 2], [1, 2],
         Schema(Kind.ARRAY, element=Schema(Kind.INT32))),
        ({"type": "array", "items": logical("int", "date")}, [0], [date(1970, 1, 1)],
         Schema(Kind.ARRAY, element=_DATE)),
        ({"type": "map", "values": ["null", logical("int", "date")]}, {"a": 0, "b": None},
         {"a": date(1970, 1, 1), "b": None},
         Schema(Kind.MAP, key=Schema(Kind.STRING), element=replace(_DATE, optional=True))),
        (["null", "string"], None, None, Schema(Kind.STRING, optional=True)),
        (["string", "null"], "a", "a", Schema(Kind.STRING, optional=True)),
        (["string"], "a", "a", Schema(Kind.STRING)),
    ],
    ids=repr,
)  # fmt: skip
def test_avro_has_its_schema_in_connect(
    avro: Any, written: Any, value: Any, schema: Schema
) -> None:
    result, found_schema = convert(avro, written)
    assert result == value
    assert repr(result) == repr(value)
    assert found_schema == schema


def test_a_record_is_a_struct() -> None:
    inner = record("In", day=["null", logical("int", "date")])
    avro = record("n.Out", a="int", inside=inner, again="In", many={"type": "array", "items": "In"})
    result, schema = convert(
        avro, {"a": 1, "inside": {"day": 0}, "again": {"day": None}, "many": [{"day": 1}]}
    )
    assert result == {
        "a": 1,
        "inside": {"day": date(1970, 1, 1)},
        "again": {"day": None},
        "many": [{"day": date(1970, 1, 2)}],
    }
    fields = (Field("day", replace(_DATE, optional=True)),)
    in_schema = Schema(Kind.STRUCT, name="n.In", fields=fields)
    assert schema == Schema(
        Kind.STRUCT,
        name="n.Out",
        fields=(
            Field("a", Schema(Kind.INT32)),
            Field("inside", in_schema),
            Field("again", in_schema),
            Field("many", Schema(Kind.ARRAY, element=in_schema)),
        ),
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (None, None),
        (("int", 5), {"int": 5}),
        ("a", {"string": "a"}),
        (b"a", {"bytes": b"a"}),
        ([1], {"array": [date(1970, 1, 2)]}),
        (("n.R", {"x": 1}), {"R": {"x": date(1970, 1, 2)}}),
        (("n.S", {"x": 1}), {"S": {"x": 1}}),
    ],
)
def test_a_union_is_a_struct_in_which_its_branch_is_filled(written: Any, value: Any) -> None:
    avro = [
        "null",
        "int",
        "string",
        "bytes",
        {"type": "array", "items": logical("int", "date")},
        record("n.R", x=logical("int", "date")),
        record("n.S", x="int"),
    ]
    result, schema = convert(avro, written)
    names = ["int", "string", "bytes", "array", "R", "S"]
    assert result == (None if value is None else dict.fromkeys(names) | value)
    assert schema is not None
    assert (schema.kind, schema.name) == (Kind.STRUCT, f"{_CONNECT}.Union")
    assert schema.optional
    assert [field.name for field in schema.fields] == names
    assert all(field.schema.optional for field in schema.fields)


def test_members_of_a_union_may_have_their_full_names() -> None:
    avro = ["string", record("n.R", x="int"), {"type": "enum", "name": "o.E", "symbols": ["A"]}]
    result, schema = convert(avro, ("n.R", {"x": 1}), full_names=True)
    assert result == {"string": None, "n.R": {"x": 1}, "o.E": None}
    assert schema is not None
    assert not schema.optional


def test_types_of_one_name_in_two_namespaces_are_told_apart() -> None:
    avro = record(
        "a.Out", one=["int", record("a.X", f="int")], two=record("b.X", f="string"), three="a.X"
    )
    result, _ = convert(avro, {"one": ("a.X", {"f": 1}), "two": {"f": "b"}, "three": {"f": 3}})
    assert result == {"one": {"int": None, "X": {"f": 1}}, "two": {"f": "b"}, "three": {"f": 3}}


def test_names_without_a_namespace_are_found_from_within_unions() -> None:
    avro = record("Out", one=["int", record("X", f="int")], two="X")
    result, _ = convert(avro, {"one": 5, "two": {"f": 1}})
    assert result == {"one": {"int": 5, "X": None}, "two": {"f": 1}}


def test_defaults_of_fields_are_connects_defaults() -> None:
    avro = record(
        "R",
        number={"type": "int", "default": 5},
        day={"type": logical("int", "date"), "default": 1},
        raw={"type": "bytes", "default": "\u00ff"},
        inner={"type": record("I", a={"type": "string", "default": "x"}), "default": {}},
        choice={"type": ["string", "int"], "default": "s"},
        nullable={"type": ["null", "int"], "default": None},
        first={"type": ["int", "null"], "default": 7},
        floating={"type": "double", "default": 1},
        wrong={"type": "int", "default": 3},
    )
    value = {
        "number": 0, "day": 0, "raw": b"", "inner": {"a": ""}, "choice": "", "nullable": None,
        "first": None, "floating": 0.0, "wrong": 0,
    }  # fmt: skip
    _, schema = convert(avro, value)
    assert schema is not None
    assert {field.name: field.schema.default for field in schema.fields} == {
        "number": 5,
        "day": date(1970, 1, 2),
        "raw": b"\xff",
        "inner": {"a": "x"},
        "choice": {"string": "s", "int": None},
        "nullable": None,
        "first": None,
        "floating": 1.0,
        "wrong": 3,
    }
    number = schema.field("number")
    assert number is not None
    assert number.schema.parameters == {f"{_CONNECT}.field.default": "true"}


def test_properties_of_connect_are_read() -> None:
    avro = {
        **record(
            "R", a={"type": {"type": "int", "connect.default": 9, "connect.doc": "d"}, "default": 4}
        ),
        "doc": "about R",
        "connect.name": "my.Name",
        "connect.version": 3,
        "connect.parameters": {"p": "q"},
    }
    avro["fields"][0] |= {"doc": "about a", "connect.parameters": {"f": "g"}}
    _, schema = convert(avro, {"a": 1})
    assert schema == Schema(
        Kind.STRUCT,
        name="my.Name",
        version=3,
        parameters={
            f"{_CONNECT}.record.doc": "about R",
            f"{_CONNECT}.field.doc.a": "about a",
            "p": "q",
        },
        fields=(Field("a", Schema(Kind.INT32, default=4, doc="d", parameters={"f": "g"})),),
    )


def test_names_that_connect_made_up_are_none() -> None:
    _, schema = convert(record(f"{_CONNECT}.ConnectDefault", a="int"), {"a": 1})
    assert schema == Schema(Kind.STRUCT, fields=(Field("a", Schema(Kind.INT32)),))


@pytest.mark.parametrize("name", [f"{_CONNECT}.MapEntry", "n.Entry"])
def test_an_array_of_entries_is_a_map(name: str) -> None:
    entry = record(name, key="int", value=logical("int", "date"))
    if name == "n.Entry":
        entry["connect.internal.type"] = "MapEntry"
    result, schema = convert({"type": "array", "items": entry}, [{"key": 1, "value": 0}])
    assert result == {1: date(1970, 1, 1)}
    assert schema == Schema(Kind.MAP, key=Schema(Kind.INT32), element=_DATE)


def test_values_that_connect_wrote_without_a_schema_come_back_without() -> None:
    name = f"{_CONNECT}.Anything"
    kinds = ["boolean", "bytes", "double", "float", "int", "long", "string"]
    entry = record(f"{_CONNECT}.MapEntry", key=name, value=name)
    fields: dict[str, Any] = {kind: ["null", kind] for kind in kinds}
    fields |= {"array": ["null", {"type": "array", "items": name}]}
    fields |= {"map": ["null", {"type": "array", "items": entry}]}
    empty = dict.fromkeys(fields)
    number, text = empty | {"long": 1}, empty | {"string": "a"}
    value = empty | {"map": [{"key": text, "value": empty | {"array": [number, empty]}}]}
    assert convert(record(name, **fields), value) == ({"a": [1, None]}, None)


RECURSIVE = record("n.Node", next=["null", "n.Node"])


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("null", "Standalone null schemas are not supported"),
        (["null"], "Standalone null schemas are not supported"),
        (record("R", a="null"), "Standalone null schemas are not supported"),
        (RECURSIVE, "record n.Node contains itself"),
        ({"type": "int", "connect.type": "int7"}, "Connect type annotation"),
        (["int", record("a.X"), record("b.X")], "two members that Connect would call alike"),
        ({"type": "nope"}, "it has no meaning in Connect: "),
        ({"type": "record"}, "it has no meaning in Connect: "),
        (5, "it is not a schema of Avro: "),
        ([], "Standalone null schemas"),
    ],
    ids=repr,
)
def test_a_schema_without_meaning_costs_its_records(schema: Any, why: str) -> None:
    with pytest.raises(ConverterError, match=why):
        converter_with(registered(schema))(b"\0\0\0\0\1\0\0")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"", "it has no bytes"),
        (b"\0", "Unknown magic byte!"),
        (b"\0\0\0\1", "Unknown magic byte!"),
        (b"\1\0\0\0\1\2a", "Unknown magic byte!"),
        (b'{"a":1}', "Unknown magic byte!"),
        (b"\0\0\0\0\1", "it is not Avro of schema 1: "),
        (b"\0\0\0\0\1\4a", "it is not Avro of schema 1: "),
        (b"\0\0\0\0\1\2ab", "it is not Avro of schema 1: bytes are left over"),
        (b"\0\0\0\0\1\1", "it is not Avro of schema 1: "),
        (b"\0\0\0\0\1" + b"\xff" * 12, "it is not Avro of schema 1: "),
        (b"\0\0\0\0\2\2a", "schema 2: the schema registry has no /schemas/ids/2"),
    ],
)
def test_bytes_that_are_not_of_their_schema_are_refused(value: bytes, why: str) -> None:
    with pytest.raises(ConverterError) as caught:
        converter_with(registered("string"))(value)
    assert str(caught.value).startswith(why)


@pytest.mark.parametrize(
    ("avro", "written", "why"),
    [
        (logical("int", "date"), 2**31 - 1, "date 2147483647 days is not in the years"),
        (logical("int", "time-millis"), -1, "time -1 ms is not within a day"),
        (logical("long", "time-micros"), 86_400_000_000, "time 86400000000 us is not within"),
        (logical("long", "timestamp-millis"), 2**62, "timestamp 4611686018427387904 ms is not"),
        (logical("long", "timestamp-micros"), 2**62, "timestamp 4611686018427387904 us is not"),
        (logical("bytes", "decimal", precision=4), b"", "a decimal has no bytes"),
    ],
)
def test_a_value_that_python_cannot_hold_is_refused_with_its_place(
    avro: Any, written: Any, why: str
) -> None:
    nested = record("Out", a=record("In", b=["null", avro]))
    with pytest.raises(ConverterError, match=f"field a: field b: {why}"):
        convert(nested, {"a": {"b": written}})


def test_no_bytes_are_a_tombstone() -> None:
    assert converter_with(registered())(None) == (None, None)


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    assert converter_with(registered("string"))(b"\0\0\0\0\1\4a\xff")[0] == "a\ufffd"


def test_each_record_is_read_by_its_own_schema() -> None:
    old, new = record("R", a="int"), record("R", a="long", b={"type": "string", "default": "x"})
    converter = converter_with(registered(old, new))
    assert converter(message(old, {"a": 1}, 1))[0] == {"a": 1}
    result, schema = converter(message(new, {"a": 2**40, "b": "y"}, 2))
    assert result == {"a": 2**40, "b": "y"}
    assert converter(message(new, {"a": 0, "b": ""}, 2))[1] is schema


def test_a_registry_that_is_away_is_no_fault_of_a_record() -> None:
    options = {"schema.registry.url": "http://127.0.0.1:1"}
    converter = converter_of(Converting("avro", True, options))
    with pytest.raises(UnavailableError):
        converter(b"\0\0\0\0\1\0")


def test_schemas_come_from_the_registry_with_those_that_they_refer_to() -> None:
    address = {**record("Address", zip=logical("int", "date")), "namespace": "n"}
    person = record("Person", home="n.Address", work=["null", "string", "n.Address"])
    reference = {"name": "n.Address", "subject": "address-value", "version": 2}
    answers: dict[int | str, Any] = {
        3: {"schema": json.dumps(person), "references": [reference]},
        "/subjects/address-value/versions/2": {"schema": json.dumps(address)},
    }
    whole = record("Person", home=without_logical_types(address), work=person["fields"][1]["type"])
    value = {"home": {"zip": 0}, "work": ("n.Address", {"zip": 1})}
    with schema_registry(answers) as (url, asked):
        converter = converter_of(Converting("avro", True, {"schema.registry.url": url}))
        for _ in range(2):
            assert converter(message(whole, value, 3))[0] == {
                "home": {"zip": date(1970, 1, 1)},
                "work": {"string": None, "Address": {"zip": date(1970, 1, 2)}},
            }
        assert asked == ["/schemas/ids/3", "/subjects/address-value/versions/2"]


_ARRAY = {"type": "array", "items": "int"}
_ENUM = {"type": "enum", "name": "E", "symbols": ["A", "B"]}


@pytest.mark.parametrize(
    ("schema", "datum", "value"),
    [
        ("long", b"\xff" * 9 + b"\x01", -(2**63)),
        ("long", b"\xfe" + b"\xff" * 8 + b"\x01", 2**63 - 1),
        ("long", b"\x80\x00", 0),
        ("int", b"\xff\xff\xff\xff\x0f", -(2**31)),
        ("string", b"\x80\x02" + b"a" * 128, "a" * 128),
        ("bytes", b"\x80\x02" + b"a" * 128, b"a" * 128),
        (_ARRAY, b"\x00", []),
        (_ARRAY, b"\x02\x02\x02\x04\x00", [1, 2]),
        (_ARRAY, b"\x03\x04\x02\x04\x00", [1, 2]),
        (_ENUM, b"\x02", "B"),
        (["int"], b"\x00\x02", 1),
    ],
    ids=repr,
)
def test_a_datum_may_be_written_in_all_ways_of_avro(schema: Any, datum: bytes, value: Any) -> None:
    assert converter_with(registered(schema))(b"\0\0\0\0\1" + datum)[0] == value


@pytest.mark.parametrize(
    ("schema", "datum"),
    [
        ("long", b"\xff" * 10),
        ("long", b"\xff" * 9 + b"\x7f"),
        ("int", b"\x80\x80\x80\x80\x10"),
        ("boolean", b"\x02"),
        ("float", b"\0\0\0"),
        ("double", b"\0" * 7),
        ("string", b"\x01"),
        ("bytes", b"\x01"),
        (_ENUM, b"\x04"),
        (_ENUM, b"\x01"),
        (["null", "int"], b"\x04"),
        (["null", "int"], b"\x01"),
        (["null", "int", "string"], b"\x06\x00"),
        (["null", "int", "string"], b"\x01\x00"),
        ({"type": "fixed", "name": "F", "size": 2}, b"a"),
        (_ARRAY, b"\x02\x02"),
        (_ARRAY, b"\xfe\xff\xff\xff\x0f"),
        ({"type": "array", "items": record("Empty")}, b"\xfe\xff\xff\xff\xff\xff\x0f\x00"),
    ],
    ids=repr,
)
def test_a_datum_that_is_not_of_its_schema_is_refused(schema: Any, datum: bytes) -> None:
    with pytest.raises(ConverterError, match="it is not Avro of schema 1: "):
        converter_with(registered(schema))(b"\0\0\0\0\1" + datum)


_SIMPLE: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32, allow_nan=False),
    "double": st.floats(allow_nan=False),
    "bytes": st.binary(max_size=5),
    "string": st.text(st.characters(codec="utf-8"), max_size=5),
}
# A value as fastavro writes it, and as Connect has it.
Pair = tuple[Any, Any]
Typed = tuple[Any, st.SearchStrategy[Pair]]
_WORDS = ["simple", "simple", "array", "map", "record", "nullable", "union"]


def both(make: Callable[[int], Any]) -> Pair:
    return make(0), make(1)


@st.composite
def typed(draw: st.DrawFn, names: list[str], depth: int = 3) -> Typed:
    word = draw(st.sampled_from(_WORDS)) if depth else "simple"
    if word == "simple":
        kind = draw(st.sampled_from(sorted(_SIMPLE)))
        return kind, _SIMPLE[kind].map(lambda value: (value, value))
    if word == "record":
        return draw(typed_record(names, depth))
    if word == "union":
        return draw(typed_union())
    inner, values = draw(typed(names, depth - 1))
    if word == "nullable":
        is_union = isinstance(inner, list)
        return (inner, values) if is_union else (["null", inner], st.just((None, None)) | values)
    if word == "array":
        return {"type": "array", "items": inner}, st.lists(values, max_size=3).map(
            lambda pairs: both(lambda side: [pair[side] for pair in pairs])
        )
    maps = st.dictionaries(_SIMPLE["string"], values, max_size=3)
    return {"type": "map", "values": inner}, maps.map(
        lambda pairs: both(lambda side: {key: pair[side] for key, pair in pairs.items()})
    )


@st.composite
def typed_record(draw: st.DrawFn, names: list[str], depth: int) -> Typed:
    name = f"R{len(names)}"
    names.append(name)
    fields = [draw(typed(names, depth - 1)) for _ in range(draw(st.integers(0, 3)))]
    schema = record(name, **{f"f{at}": kind for at, (kind, _) in enumerate(fields)})
    return schema, st.tuples(*(values for _, values in fields)).map(
        lambda pairs: both(lambda side: {f"f{at}": pair[side] for at, pair in enumerate(pairs)})
    )


@st.composite
def typed_union(draw: st.DrawFn) -> Typed:
    kinds = st.lists(st.sampled_from(sorted(_SIMPLE)), min_size=2, max_size=4, unique=True)
    union = draw(kinds)

    def member_of(kind: str) -> st.SearchStrategy[Pair]:
        struct = dict.fromkeys(union)
        return _SIMPLE[kind].map(lambda value: ((kind, value), struct | {kind: value}))

    return union, st.sampled_from(union).flatmap(member_of)


@given(data=st.data())
@settings(derandomize=True, deadline=None, max_examples=200)
def test_what_fastavro_writes_is_read_back(data: st.DataObject) -> None:
    schema, values = data.draw(typed([]))
    written, expected = data.draw(values)
    result, connect = converter_with(registered(schema))(message(schema, written))
    assert repr(result) == repr(expected)
    assert connect is not None


@given(data=st.data())
@settings(derandomize=True, deadline=None, max_examples=60)
def test_a_part_of_a_datum_is_refused(data: st.DataObject) -> None:
    schema, values = data.draw(typed([]))
    text = message(schema, data.draw(values)[0])
    converter = converter_with(registered(schema))
    for length in range(5, len(text)):
        with pytest.raises(ConverterError):
            converter(text[:length])


@given(garbage=st.binary(max_size=40))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_any_bytes_are_a_value_or_refused(garbage: bytes) -> None:
    schema = record(
        "R",
        a=["null", "string", logical("bytes", "decimal", precision=9, scale=2)],
        b={"type": "enum", "name": "E", "symbols": ["A"]},
        c=logical("long", "timestamp-millis"),
        d={"type": "map", "values": "double"},
    )
    try:
        result, _ = converter_with(registered(schema))(b"\0\0\0\0\1" + garbage)
    except ConverterError:
        return
    assert list(result) == ["a", "b", "c", "d"]
