"""What holds for any records and any tables."""

import base64
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.contracts.columns import ColumnRules, Policy
from frazil.spark_sink.records.conversion import ConversionRules, NulledRow, row_converter
from frazil.spark_sink.records.errors import MisfitError
from frazil.spark_sink.records.model import Field, Kind, Schema
from frazil.spark_sink.records.schema.applied import applied
from frazil.spark_sink.records.schema.changes import SchemaChange
from frazil.spark_sink.records.schema.evolution import asked
from frazil.spark_sink.records.schema.merge import Place, merge
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.records.schema.types import (
    Column,
    List,
    Map,
    Primitive,
    Struct,
    Type,
    parse_type,
)

EMPTY = Struct(())
EXAMPLES = settings(derandomize=True, deadline=None, max_examples=100)

NAMES = st.sampled_from(["a", "b", "A", "a.b", "ä", ""])
TEXTS = st.text(max_size=4) | st.sampled_from(
    ["1", "-2.5", "1e99999", "true", "2026-11-18", "2026-11-18T12:00Z", "10:15", "aGk=", "NaN"]
)  # fmt: skip
SINGLES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**31, 2**63, 10**38, 10**400, -(2**63) - 1])
    | st.floats()
    | TEXTS
)
JSON = st.recursive(
    SINGLES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(NAMES, JSON, max_size=4)
LOGICAL = st.recursive(
    st.decimals() | st.binary(max_size=4) | st.dates() | st.times() | st.datetimes() | JSON,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)

PRIMITIVES = st.sampled_from(
    ["boolean", "int", "long", "float", "double", "string", "binary", "uuid", "variant", "fixed[2]",
     "date", "time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns", "decimal(5,2)",
     "decimal(38,0)"]
).map(parse_type)  # fmt: skip


def structs(kinds: st.SearchStrategy[Type]) -> st.SearchStrategy[Struct]:
    columns = st.builds(Column, NAMES, kinds, st.booleans())
    unique = st.lists(columns, max_size=4, unique_by=lambda one: one.name)
    return unique.map(lambda some: Struct(tuple(some)))


TYPES = st.recursive(
    PRIMITIVES,
    lambda inner: (
        structs(inner)
        | st.builds(List, inner, st.booleans())
        | st.builds(Map, PRIMITIVES, inner, st.booleans())
    ),
    max_leaves=5,
)
TABLES = structs(TYPES)
POLICIES = st.sampled_from([Policy.CAST, Policy.NULL, Policy.FAIL])


@EXAMPLES
@given(DOCUMENTS)
def test_any_document_fits_the_table_that_it_asks_for(document: dict[str, Any]) -> None:
    table = applied(EMPTY, asked(document, None, EMPTY, EvolutionRules(creating=True)))
    row = row_converter(table, ConversionRules())(document, None)
    assert len(row) == len(table.columns)
    assert asked(document, None, table, EvolutionRules()) == []


@EXAMPLES
@given(DOCUMENTS)
def test_where_case_does_not_matter_only_fields_that_differ_in_case_can_be_too_many(
    document: dict[str, Any],
) -> None:
    rules = EvolutionRules(creating=True, ignore_case=True)
    table = applied(EMPTY, asked(document, None, EMPTY, rules))
    assert asked(document, None, table, rules) == []
    ended = outcome(row_converter(table, ConversionRules(ignore_case=True)), document)
    assert "MisfitError" not in ended or "differ in case" in ended


@EXAMPLES
@given(st.lists(DOCUMENTS, max_size=5), st.data())
def test_documents_make_the_same_table_however_they_are_split(
    documents: list[dict[str, Any]], data: st.DataObject
) -> None:
    alone = EMPTY
    for document in documents:
        alone = applied(alone, asked(document, None, alone, EvolutionRules()))
    cuts = st.integers(0, len(documents))
    first = data.draw(cuts)
    together = EMPTY
    for part in (documents[:first], documents[first:]):
        together = applied(together, merge(together, reports(part, together, data)))
    assert together == alone


def with_fields(kinds: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    fields = st.lists(st.builds(Field, NAMES, kinds), max_size=3, unique_by=lambda one: one.name)
    return st.builds(Schema, st.just(Kind.STRUCT), st.booleans(), fields=fields.map(tuple))


DECLARED = st.recursive(
    st.builds(
        Schema,
        st.sampled_from([Kind.INT32, Kind.INT64, Kind.FLOAT32, Kind.FLOAT64, Kind.STRING]),
        st.booleans(),
    ),
    lambda inner: (
        with_fields(inner) | st.builds(Schema, st.just(Kind.ARRAY), st.booleans(), element=inner)
    ),
    max_leaves=4,
)


@EXAMPLES
@given(st.lists(with_fields(DECLARED), max_size=4))
def test_declared_records_make_the_same_table_in_one_batch_that_is_done_again(
    schemas: list[Schema],
) -> None:
    alone = EMPTY
    for schema in schemas:
        rules = EvolutionRules(creating=not alone.columns)
        alone = applied(alone, asked({}, schema, alone, rules))
    together, changes = EMPTY, merged(schemas, EMPTY)
    while changes:
        together = applied(together, changes)
        changes = merged(schemas, together)
    assert together == alone


def merged(schemas: list[Schema], table: Struct) -> list[SchemaChange]:
    rules = EvolutionRules(creating=not table.columns)
    asks = [asked({}, schema, table, rules) for schema in schemas]
    return merge(table, [(("t", 0, offset), ask) for offset, ask in enumerate(asks)])


def reports(
    documents: Sequence[dict[str, Any]], table: Struct, data: st.DataObject
) -> list[tuple[Place, Any]]:
    """Return what tasks report of documents, in any order."""
    places = [("t", 0, offset) for offset in range(len(documents))]
    asks = [asked(one, None, table, EvolutionRules()) for one in documents]
    return data.draw(st.permutations(list(zip(places, asks, strict=True))))


@EXAMPLES
@given(TABLES, LOGICAL | st.dictionaries(NAMES, LOGICAL), POLICIES, st.booleans(), st.booleans())
def test_conversion_raises_misfits_and_nothing_else(
    table: Struct, value: Any, policy: Policy, ignore_case: bool, rescues: bool
) -> None:
    rescued = "_rescued" if rescues else None
    if rescued:
        table = Struct((*table.columns, Column(rescued, Primitive("string"))))
    rules = ConversionRules(ignore_case, ColumnRules(policy), rescued)
    try:
        row = row_converter(table, rules)(value, None)
    except MisfitError:
        return
    assert len(row) == len(table.columns)


@EXAMPLES
@given(TABLES, st.lists(DOCUMENTS, min_size=2, max_size=5), POLICIES)
def test_a_row_does_not_depend_on_the_records_before_it(
    table: Struct, documents: list[dict[str, Any]], policy: Policy
) -> None:
    rules = ConversionRules(columns=ColumnRules(policy))
    shared = row_converter(table, rules)
    together = [outcome(shared, document) for document in documents]
    assert together == [outcome(row_converter(table, rules), document) for document in documents]


def outcome(convert: Any, document: dict[str, Any]) -> str:
    try:
        row = convert(document, None)
    except MisfitError as error:
        return repr(error)
    return repr((row, [str(one) for one in row.nulled] if isinstance(row, NulledRow) else []))


@EXAMPLES
@given(TABLES, DOCUMENTS)
def test_what_is_null_in_a_row_is_missing_null_or_reported(
    table: Struct, document: dict[str, Any]
) -> None:
    try:
        row = row_converter(table, ConversionRules(columns=ColumnRules(Policy.NULL)))(
            document, None
        )
    except MisfitError:
        return
    reported = {one.path[0] for one in row.nulled} if isinstance(row, NulledRow) else set()
    for column, held in zip(table.columns, row, strict=True):
        if held is None:
            assert document.get(column.name) is None or column.name in reported


def held(value: Any, kind: str) -> Any:
    (one,) = row_converter(Struct((Column("c", parse_type(kind)),)), ConversionRules())(
        {"c": value}, None
    )
    return one


ZONES = st.integers(-18 * 60, 18 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Python's own arithmetic ends with its years.
MOMENTS = st.datetimes(timezones=ZONES).filter(lambda moment: 1 < moment.year < 9999)


@EXAMPLES
@given(MOMENTS, st.sampled_from("T "))
def test_a_timestamp_is_read_back_from_every_form(moment: datetime, between: str) -> None:
    forms = [
        moment,
        moment.isoformat(between),
        moment.strftime("%Y").zfill(4) + moment.strftime("-%m-%d" + between + "%H:%M:%S.%f%z"),
    ]
    for form in forms:
        assert EPOCH + timedelta(microseconds=held(form, "timestamptz")) == moment
    wall = moment.replace(tzinfo=UTC)
    assert EPOCH + timedelta(microseconds=held(moment.isoformat(between), "timestamp")) == wall


@EXAMPLES
@given(st.dates(), st.times())
def test_dates_and_times_are_read_back(day: date, clock: time) -> None:
    days = held(day.isoformat(), "date")
    assert EPOCH.date() + timedelta(days) == day
    assert held(day, "date") == days
    assert held(clock.isoformat(), "time") == held(clock, "time")


@EXAMPLES
@given(st.dates(), st.integers(-999_999, 999_999))
def test_the_calendar_repeats_itself_every_400_years(day: date, year: int) -> None:
    days = [held(f"{one:+08d}-{day.month:02}-01", "date") for one in (year, year + 400)]
    assert days[1] - days[0] == 146_097


@EXAMPLES
@given(
    st.uuids(),
    st.binary(),
    st.decimals(
        allow_nan=False, allow_infinity=False, places=4, min_value=-(10**20), max_value=10**20
    ),
)
def test_other_texts_are_read_back(number: UUID, content: bytes, amount: Decimal) -> None:
    assert held(str(number), "uuid") == number.bytes
    assert held(base64.b64encode(content).decode(), "binary") == content
    assert held(held(content, "string"), "binary") == content
    assert (
        held(str(amount), "decimal(38, 4)")
        == amount
        == held(held(amount, "string"), "decimal(38, 4)")
    )


@EXAMPLES
@given(st.floats(allow_nan=False), st.integers(-(2**63), 2**63 - 1))
def test_numbers_are_read_back_from_their_texts(fraction: float, whole: int) -> None:
    assert held(held(fraction, "string"), "double") == fraction
    assert held(held(whole, "string"), "long") == whole


FINITE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
)


@EXAMPLES
@given(st.lists(FINITE) | st.dictionaries(st.text(max_size=3), FINITE))
def test_a_structure_in_a_string_column_is_the_same_json(value: Any) -> None:
    assert json.loads(held(value, "string")) == value
