"""Chains of transforms: each record is refused, or changed without a touch of what came in."""

from copy import deepcopy
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.connect_steps import Configured, step, steps
from tests.support.plain_records import record_of

from frazil.contracts.plugins.transforms.chain import STAGE_PLUGINS
from frazil.spark_sink.records import chain
from frazil.spark_sink.records.chain import chain_of
from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.model import (
    DATE,
    DECIMAL,
    TIME,
    TIMESTAMP,
    Field,
    Header,
    Kind,
    Record,
    Schema,
)
from frazil.spark_sink.records.transforms import Transform

NAMES = ["a", "b", "c", "a.b"]
TYPES = ["int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string"]
PATTERNS = ["yyyy-MM-dd", "yyyyMMddHHmmss", "EEE, d MMM yy hh:mm a z", "yyyy-MM-dd'T'HH:mm:ss.SSSX"]
name, names = st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), min_size=1, unique=True)

moments = st.datetimes(timezones=st.just(UTC))
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=2)
texts = st.text(max_size=8) | st.sampled_from(["12", " 12", "1e400", "NaN", "true", "2023-11-14"])
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-200, 200), st.floats(), texts,
    st.binary(max_size=3), moments, st.dates(), st.times(), decimals,
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(name, inner, max_size=3),
    max_leaves=8,
)


def _typed(kind: Kind, value: Any, logical: str | None = None) -> st.SearchStrategy[Any]:
    schema = Schema(kind, name=logical)
    absent = st.sampled_from([None, "default"])
    filled = value.map(lambda item: (item, schema))
    return st.tuples(filled, absent, value).map(_maybe)


def _maybe(drawn: Any) -> tuple[Any, Schema]:
    (value, schema), absent, other = drawn
    if absent is None:
        return value, schema
    return None, Schema(schema.kind, optional=True, name=schema.name, default=other)


TEXT = Schema(Kind.STRING)
leaves = st.one_of(
    _typed(Kind.INT8, st.integers(-128, 127)),
    _typed(Kind.INT64, st.integers(-(2**63), 2**63 - 1)),
    _typed(Kind.FLOAT32, st.floats(width=32)),
    _typed(Kind.FLOAT64, st.floats()),
    _typed(Kind.BOOLEAN, st.booleans()),
    _typed(Kind.STRING, texts),
    _typed(Kind.BYTES, st.binary(max_size=3)),
    _typed(Kind.BYTES, decimals, DECIMAL),
    _typed(Kind.INT32, st.dates(), DATE),
    _typed(Kind.INT32, st.times(), TIME),
    _typed(Kind.INT64, moments, TIMESTAMP),
    st.lists(texts, max_size=2).map(lambda items: (items, Schema(Kind.ARRAY, element=TEXT))),
    st.dictionaries(texts, texts, max_size=2).map(
        lambda items: (items, Schema(Kind.MAP, key=TEXT, element=TEXT))
    ),
)


def _struct(members: dict[str, tuple[Any, Schema]]) -> tuple[Any, Schema]:
    fields = tuple(Field(key, schema) for key, (_, schema) in members.items())
    value = {key: item for key, (item, _) in members.items()}
    return value, Schema(Kind.STRUCT, fields=fields)


typed_values = st.recursive(
    leaves,
    lambda inner: st.dictionaries(name, inner, max_size=4).map(_struct),
    max_leaves=8,
)
pairs = typed_values | values.map(lambda value: (value, None))


def _record(value: tuple[Any, Any], key: tuple[Any, Any]) -> Record:
    headers = (Header("h", "1"), Header("g", None))
    return record_of(value[0], value[1], key=key[0], key_schema=key[1], headers=headers)


records = st.builds(_record, pairs, pairs)


def _sided(word: str, **options: Any) -> st.SearchStrategy[Configured]:
    sides = st.sampled_from(["$Key", "$Value"])
    return st.builds(lambda side, drawn: step(word + side, **drawn), sides,
                     st.fixed_dictionaries(options))  # fmt: skip


def _plain(word: str, **options: Any) -> st.SearchStrategy[Configured]:
    return st.builds(lambda drawn: step(word, **drawn), st.fixed_dictionaries(options))


joined = names.map(",".join)
kinds = st.sampled_from(TYPES)
flags = st.sampled_from(["true", "false"])
TRANSFORMS = {
    "Cast": _sided("Cast", replace_null_with_default=flags, spec=kinds
                   | st.dictionaries(name, kinds, min_size=1).map(
                       lambda spec: ",".join(f"{key}:{kind}" for key, kind in spec.items()))),
    "DropHeaders": _plain("DropHeaders", headers=st.sampled_from(["h", "g,x"])),
    "ExtractField": _sided("ExtractField", field=name, replace_null_with_default=flags,
                           field_syntax_version=st.sampled_from(["V1", "V2"])),
    "Filter": _plain("Filter"),
    "Flatten": _sided("Flatten", delimiter=st.sampled_from([".", "_"])),
    "HeaderFrom": _sided("HeaderFrom", fields=name, headers=name,
                         operation=st.sampled_from(["move", "copy"])),
    "HoistField": _sided("HoistField", field=name),
    "InsertField": _sided("InsertField", topic_field=name, timestamp_field=st.just("at!"),
                          offset_field=st.sampled_from(["o", "a"])),
    "InsertHeader": _plain("InsertHeader", header=name, value_literal=st.just("5")),
    "MaskField": _sided("MaskField", fields=joined)
    | _sided("MaskField", fields=joined, replacement=st.sampled_from(["7", "x", "1.5", "1e400"])),
    "RegexRouter": _plain("RegexRouter", regex=st.sampled_from(["(o)(.*)", "(o)(r).*?"]),
                          replacement=st.sampled_from(["$2", "x$12"])),
    "ReplaceField": _sided("ReplaceField", renames=st.sampled_from(["a:b", "a:z,b:c"]))
    | _sided("ReplaceField", exclude=joined) | _sided("ReplaceField", include=joined),
    "SetSchemaMetadata": _sided("SetSchemaMetadata", schema_name=name),
    "TimestampConverter": _sided(
        "TimestampConverter", field=name | st.just(""), format=st.sampled_from(PATTERNS),
        target_type=st.sampled_from(["string", "unix", "Date", "Time", "Timestamp"]),
        unix_precision=st.sampled_from(["seconds", "milliseconds", "nanoseconds"])),
    "TimestampRouter": _plain("TimestampRouter", timestamp_format=st.sampled_from(PATTERNS)),
    "ValueToKey": _plain("ValueToKey", fields=joined),
}  # fmt: skip


def _refusal(transform: Transform, record: Record) -> str | None:
    """Return the words and the class of the refusal; anything else that is raised is a defect."""
    try:
        transform(record)
    except TransformError as error:
        return str(error) and (error.class_name or "")
    return None


@settings(derandomize=True, max_examples=400, deadline=None)
@given(record=records, configured=st.lists(st.one_of(*TRANSFORMS.values()), max_size=4))
def test_a_chain_refuses_a_record_or_leaves_it_as_it_was(
    record: Record, configured: list[Configured]
) -> None:
    transform = chain_of(steps(*configured))
    before = deepcopy(record)
    assert transform is None or _refusal(transform, record) != ""
    # NaN is not equal to itself; its text is.
    assert repr(record) == repr(before)


def test_every_transform_of_connect_is_tried() -> None:
    package = "org.apache.kafka.connect.transforms."
    words = {
        plugin.stage.word
        for plugin in STAGE_PLUGINS
        if plugin.class_name.startswith(package) and plugin.type == "transformation"
    }
    assert set(TRANSFORMS) == words


def test_no_steps_are_no_chain() -> None:
    assert chain_of(()) is None


def test_steps_are_taken_in_their_order() -> None:
    hoist, insert = step("HoistField$Value", field="h"), step("InsertField$Value", topic_field="t")
    first = chain_of(steps(hoist, insert))
    second = chain_of(steps(insert, hoist))
    assert first is not None
    assert second is not None
    assert first(record_of({})).value == {"h": {}, "t": "orders"}  # type: ignore[union-attr]
    assert second(record_of({})).value == {"h": {"t": "orders"}}  # type: ignore[union-attr]


def test_nothing_follows_a_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Any) -> Any:
        raise AssertionError

    monkeypatch.setitem(chain._MAKERS, "HoistField", lambda _: fail)
    filtering = chain_of(steps(step("Filter"), step("HoistField$Value", field="h")))
    assert filtering is not None
    assert filtering(record_of({})) is None


def test_a_value_that_is_nested_without_end_is_refused() -> None:
    value: dict[str, Any] = {}
    for _ in range(5000):
        value = {"a": value}
    flatten = chain_of(steps(step("Flatten$Value")))
    assert flatten is not None
    with pytest.raises(TransformError, match="nested too deeply"):
        flatten(record_of(value))


def test_times_of_every_kind_pass() -> None:
    value = {"d": date(1, 1, 1), "t": time(23, 59), "s": datetime(9999, 12, 31, tzinfo=UTC),
             "n": Decimal("1E+90000")}  # fmt: skip
    cast = chain_of(steps(step("Cast$Value", spec="d:string,t:string,s:string,n:string")))
    assert cast is not None
    assert cast(record_of(value)).value == {  # type: ignore[union-attr]
        "d": "0001-01-01",
        "t": "23:59:00.000Z",
        "s": "9999-12-31",
        "n": "1E+90000",
    }
