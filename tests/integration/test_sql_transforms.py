"""`frazil.transforms.Sql`, through Spark: what statements make of records."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.support.records import KAFKA, Text, chain, outcomes
from tests.support.spark import LEAVES_SOCKETS, spark_session

from frazil.spark_sink.records.errors import RecordError
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.tasks.outcomes import Outcome
from frazil.worker.errors import BadConfigError

pytestmark = LEAVES_SOCKETS

WITH_SCHEMAS = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "true",
}
FILTERED = "filtered"


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with spark_session() as session:
        session.sparkContext.setLogLevel("OFF")
        yield session


def sql(statement: str, **more: str) -> dict[str, str | None]:
    return chain(("frazil.transforms.Sql", {"statement": statement}), **more)


def found(outcome: Outcome) -> Any:
    if isinstance(outcome, RecordError):
        return f"!{outcome}"
    return FILTERED if outcome is None else outcome.value


@pytest.mark.parametrize(
    ("select", "value", "expected"),
    [
        pytest.param("*, upper(a) AS b", {"a": "x"}, {"a": "x", "b": "X"}, id="a star and more"),
        pytest.param("upper(a) AS a, *", {"a": "x"}, {"a": "x"}, id="what is later wins"),
        pytest.param("inner.y.z", {"inner": {"y": {"z": 1}}}, {"z": 1}, id="a field deep inside"),
        pytest.param("inner.y.z", {}, {"z": None}, id="a field of nothing"),
        pytest.param("a['b'][0].c AS c", {"a": None}, {"c": None}, id="by brackets"),
        pytest.param("size(a) AS n", {"a": []}, {"n": 0}, id="an empty list"),
        pytest.param("struct(*) AS s", {"a": 1}, {"s": {"a": 1}}, id="a star inside"),
        pytest.param("`a.b`, record.`c``d`", {"a.b": 1, "c`d": 2}, {"a.b": 1, "c`d": 2}, id="odd"),
        pytest.param("topic, value, key", {"topic": 1, "value": 2, "key": 3},
                     {"topic": 1, "value": 2, "key": 3}, id="fields named as Kafka's"),
        pytest.param("_kafka.offset AS o, _kafka.key AS k", {}, {"o": 0, "k": "k"}, id="Kafka's"),
        pytest.param("_kafka.headers[0].value AS h", {}, {"h": b"1"}, id="a header's bytes"),
        pytest.param("CAST(a AS INT) AS i, 1.50 AS d, DATE'2026-11-20' - 1 AS y", {"a": "5"},
                     {"i": 5, "d": Decimal("1.50"), "y": datetime(2026, 11, 19, tzinfo=UTC).date()},
                     id="values of Spark's types"),
        pytest.param("map('a', array(1, 2)) AS m", {}, {"m": {"a": [1, 2]}}, id="a map"),
        pytest.param("transform(xs, x -> x * 2) AS xs", {"xs": [1, 2]}, {"xs": [2, 4]},
                     id="a lambda"),
        pytest.param("nowhere", {"a": 1}, {"nowhere": None}, id="a field that is not there"),
        pytest.param("value AS v", "text", {"v": "text"}, id="a value that is no struct"),
    ],
)  # fmt: skip
def test_a_statement_makes(
    spark: SparkSession, select: str, value: Text, expected: Mapping[str, Any]
) -> None:
    strings = {"value.converter": "org.apache.kafka.connect.storage.StringConverter"}
    config = sql(f"SELECT {select} FROM record", **(strings if value == "text" else {}))
    (one,) = outcomes(spark, config, [value], headers={"h": "1"})
    assert found(one) == expected


MIXED: list[Text] = [
    {"n": 1, "s": "a"},
    {"n": 1.5, "s": None},
    {"n": "1", "more": True},
    {"n": {"deep": 1}},
    {"n": [1]},
    {"s": "drop"},
    "{",
    None,
]


def test_what_becomes_of_a_record_depends_on_no_other(spark: SparkSession) -> None:
    statement = "SELECT *, coalesce(n, 0) AS m FROM record WHERE s IS NULL OR s <> 'drop'"
    together = list(map(found, outcomes(spark, sql(statement), MIXED)))
    alone = [found(one) for value in MIXED for one in outcomes(spark, sql(statement), [value])]
    assert together == alone
    assert together[:3] == [
        {"n": 1, "s": "a", "m": 1},
        {"n": 1.5, "s": None, "m": 1.5},
        {"n": "1", "more": True, "m": 1},
    ]
    assert together[3].startswith("!transforms.t0.statement: [DATATYPE_MISMATCH")
    assert together[5] == FILTERED
    assert together[6].startswith("!it is not JSON")
    assert together[7] is None


def test_a_value_with_a_schema_gets_sparks_types(spark: SparkSession) -> None:
    fields = [{"type": "int32", "field": "a"}]
    value = {"schema": {"type": "struct", "fields": fields}, "payload": {"a": 5}}
    statement = "SELECT a, a / 2 AS half, timestamp_millis(0) AS t FROM record"
    (one,) = outcomes(spark, sql(statement, **WITH_SCHEMAS), [value])
    assert isinstance(one, Record)
    assert one.value == {"a": 5, "half": 2.5, "t": datetime(1970, 1, 1, tzinfo=UTC)}
    assert one.value_schema is not None
    kinds = [(field.name, field.schema.kind.value) for field in one.value_schema.fields]
    assert kinds == [("a", "int32"), ("half", "double"), ("t", "int64")]


def test_a_field_that_no_record_has_asks_for_no_column(spark: SparkSession) -> None:
    (one,) = outcomes(spark, sql("SELECT a, nowhere, array() AS none FROM record"), [{"a": 1}])
    assert isinstance(one, Record)
    assert one.value_schema is not None
    assert [field.name for field in one.value_schema.fields] == ["a"]


@pytest.mark.parametrize("order", list(permutations("asb"))[:3], ids="".join)
def test_statements_stand_among_other_transforms(spark: SparkSession, order: tuple[str]) -> None:
    steps = {
        "a": (f"{KAFKA}InsertField$Value", {"static.field": "f", "static.value": "v"}),
        "s": ("frazil.transforms.Sql", {"statement": "SELECT *, concat(f, '!') AS g FROM record"}),
        "b": ("frazil.transforms.Sql", {"statement": "SELECT *, concat(g, '?') AS h FROM record"}),
    }
    (one,) = outcomes(spark, chain(*(steps[name] for name in order)), [{"n": 1}])
    expected = {"asb": {"n": 1, "f": "v", "g": "v!", "h": "v!?"},
                "abs": {"n": 1, "f": "v", "h": None, "g": "v!"},
                "sab": {"n": 1, "g": None, "f": "v", "h": None}}  # fmt: skip
    assert found(one) == expected["".join(order)]


@pytest.mark.parametrize("negate", [False, True])
def test_a_predicate_decides_whether_a_statement_applies(spark: SparkSession, negate: bool) -> None:
    config = sql("SELECT 1 AS one FROM record") | {
        "transforms.t0.predicate": "p",
        "transforms.t0.negate": str(negate).lower(),
        "predicates": "p",
        "predicates.p.type": f"{KAFKA}predicates.HasHeaderKey",
        "predicates.p.name": "h",
    }
    (one,) = outcomes(spark, config, [{"a": 1}], headers={"h": "1"})
    assert found(one) == ({"a": 1} if negate else {"one": 1})


def test_a_function_that_does_not_exist_ends_the_connector(spark: SparkSession) -> None:
    with pytest.raises(BadConfigError, match=r"transforms\.t0\.statement: .*`nope`"):
        outcomes(spark, sql("SELECT nope(a) FROM record"), [{"a": 1}])


def test_a_statement_that_spark_cannot_read_ends_the_connector(spark: SparkSession) -> None:
    with pytest.raises(BadConfigError, match=r"transforms\.t0\.statement: .*PARSE"):
        outcomes(spark, sql("SELECT a b c d FROM record"), [{"a": 1}])
