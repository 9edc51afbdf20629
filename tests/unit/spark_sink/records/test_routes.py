"""For which tables a record is."""

import pickle
from typing import Any

import pytest
from tests.support.plain_records import record_of, struct
from tests.support.sink_configs import PLUGIN, changed

from frazil.spark_sink.records.errors import RouteError
from frazil.spark_sink.records.model import Header, Kind, Record, Schema
from frazil.spark_sink.records.routes import Route, Router, route_of, router_of

FIELD = "iceberg.tables.route-field"
DYNAMIC = {"iceberg.tables": None, "iceberg.tables.dynamic-enabled": "true", FIELD: "kind"}
PATTERNS: dict[str, str | None] = {
    "iceberg.tables": "n.a,n.b,n.c",
    FIELD: "kind",
    "iceberg.table.a.route-regex": "x|both",
    "iceberg.table.n.b.route-regex": "y|both|1.0E10",
}


def route(config: dict[str, str | None]) -> Route:
    found = route_of(PLUGIN.parse(changed(config)))
    assert found is not None
    return found


def router(config: dict[str, str | None]) -> Router:
    return router_of(pickle.loads(pickle.dumps(route(config))))  # noqa: S301


def template(text: str, **more: str) -> Router:
    return router({"iceberg.tables": None, "frazil.tables.route": text, **more})


def test_without_a_route_each_record_is_for_every_listed_table() -> None:
    assert route_of(PLUGIN.parse(changed({"iceberg.tables": "n.a,n.b"}))) is None


@pytest.mark.parametrize(
    ("value", "tables"),
    [
        ({"kind": "x"}, ("n.a",)),
        ({"kind": "both"}, ("n.a", "n.b")),
        ({"kind": "xx"}, ()),
        ({"kind": 1e10}, ("n.b",)),
        ({"kind": None}, ()),
        ({}, ()),
        (None, ()),
    ],
)
def test_patterns_match_the_whole_value(value: Any, tables: tuple[str, ...]) -> None:
    assert router(PATTERNS)(record_of(value)) == tables


@pytest.mark.parametrize(
    ("value", "tables"),
    [
        ({"kind": "n.Orders"}, ("n.orders",)),
        ({"kind": "a.b.c"}, ("a.b.c",)),
        ({"kind": 1.5}, ("1.5",)),
        ({"kind": None}, ()),
        ({"other": 1}, ()),
        (None, ()),
    ],
)
def test_a_field_names_the_table_in_small_letters(value: Any, tables: tuple[str, ...]) -> None:
    assert router(DYNAMIC)(record_of(value)) == tables


@pytest.mark.parametrize(("name", "table"), [("Orders", "n.orders"), ("m.orders", "m.orders")])
def test_a_bare_name_gets_the_namespace(name: str, table: str) -> None:
    tables = router(DYNAMIC | {"frazil.tables.namespace": "n"})
    assert tables(record_of({"kind": name})) == (table,)


@pytest.mark.parametrize("name", ["orders", ".orders", "orders.", "", "a..b", "."])
def test_what_is_no_name_of_a_table_is_refused(name: str) -> None:
    tables = router(DYNAMIC)
    for _ in range(2):
        with pytest.raises(RouteError, match="is no name of a table"):
            tables(record_of({"kind": name}))


def test_a_value_without_fields_cannot_name_a_table() -> None:
    with pytest.raises(RouteError, match="field kind"):
        router(DYNAMIC)(record_of("text"))


@pytest.mark.parametrize(
    ("value", "tables"),
    [
        ({"a": {"b": "n.t"}}, ("n.t",)),
        ({"a": {"b": None}}, ()),
        ({"a": None}, ()),
        ({"a": "n.t"}, ()),
        ({"a.b": "n.t"}, ()),
    ],
)
def test_a_path_leads_into_structs(value: Any, tables: tuple[str, ...]) -> None:
    assert router(DYNAMIC | {FIELD: "a.b"})(record_of(value)) == tables


def test_a_field_of_32_bits_has_its_own_text() -> None:
    schema = struct(("kind", Schema(Kind.FLOAT32)))
    record = record_of({"kind": 0.10000000149011612}, schema)
    assert router(DYNAMIC)(record) == ("0.1",)


KEYED = "n.${topic}_${key.shop}_${header.kind}"


def _keyed(key: Any, *headers: Header) -> Record:
    return record_of({"id": 1}, key=key, headers=headers)


@pytest.mark.parametrize(
    ("record", "tables"),
    [
        (_keyed('{"shop": "North"}', Header("kind", "A")), ("n.orders_north_a",)),
        (_keyed(b'{"shop": 5}', Header("kind", b"A")), ("n.orders_5_a",)),
        (_keyed({"shop": "s"}, Header("kind", "a"), Header("kind", 7)), ("n.orders_s_7",)),
        (_keyed({"shop": "s"}, Header("other", "a")), ()),
        (_keyed({"shop": "s"}, Header("kind", None)), ()),
        (_keyed(None, Header("kind", "a")), ()),
        (_keyed("{", Header("kind", "a")), ()),
        (_keyed("[1]", Header("kind", "a")), ()),
    ],
)
def test_a_template_takes_topic_key_and_headers(record: Record, tables: tuple[str, ...]) -> None:
    assert template(KEYED)(record) == tables


@pytest.mark.parametrize(("key", "tables"), [("K", ("n.k",)), (b"K", ("n.k",)), (None, ())])
def test_a_template_takes_the_whole_key(key: Any, tables: tuple[str, ...]) -> None:
    assert template("n.${key}")(record_of({"id": 1}, key=key)) == tables


def test_the_topic_is_the_one_that_transforms_left() -> None:
    assert template("${topic}")(record_of({}, topic="Raw.Orders")) == ("raw.orders",)
    assert template("${topic}", **{"frazil.tables.namespace": "n"})(record_of({})) == ("n.orders",)
