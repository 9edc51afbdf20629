"""What a SQL transform may do, decided on Spark's plan of it."""

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from tests.support.records import chain, outcomes
from tests.support.spark import LEAVES_SOCKETS, spark_session

from frazil.spark_sink.sql.plan_check import RefusedPlanError, check_plan

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180), LEAVES_SOCKETS]

_JAVA = "'java.lang.System', 'getProperty', 'user.home'"


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    # Connectors win over what is only a default.
    with spark_session({"spark.sql.runSQLOnFiles": "true"}) as session:
        yield session


@pytest.fixture(scope="module")
def relation(spark: SparkSession) -> DataFrame:
    columns = ("1 AS id", "'a' AS name", "array(1) AS xs", "map('a', 1) AS m", "now() AS ts")
    return spark.range(1).selectExpr(*columns).where("id > 0")


def selected(relation: DataFrame, text: str) -> DataFrame:
    whole = relation.select(fn.struct("*").alias("_all"), "*").alias("record")
    return whole.select("_all.*", fn.when(fn.lit(True), fn.struct(fn.expr(text))))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(SELECT 1)", "reads another table"),
        ("(SELECT max(id) FROM range(3))", "reads another table"),
        ("(FROM range(3) |> AGGREGATE max(id))", "reads another table"),
        ("(VALUES (1))", "reads another table"),
        ("EXISTS (SELECT 1)", "reads another table"),
        ("id IN (SELECT 1)", "reads another table"),
        (f"reflect({_JAVA})", "calls Java"),
        (f"java_method({_JAVA})", "calls Java"),
        (f"try_reflect({_JAVA})", "calls Java"),
        (f"upper(concat('x', reflect({_JAVA})))", "calls Java"),
        (f"transform(xs, x -> reflect({_JAVA}))", "calls Java"),
        (f"IDENTIFIER(concat('ref', 'lect'))({_JAVA})", "calls Java"),
        ("input_file_name()", "asks for a file"),
        ("input_file_block_start()", "asks for a file"),
        ("from_xml('<a/>', 'a INT', map('rowValidationXSDPath', '/x'))", "may read a file"),
        ("xpath_string(name, 'a')", "may fetch"),
        ("row_number() OVER (ORDER BY id)", "needs more than one record"),
        ("count(id) OVER ()", "needs more than one record"),
    ],
)
def test_what_reaches_beyond_the_record_is_refused(
    relation: DataFrame, text: str, why: str
) -> None:
    with pytest.raises(RefusedPlanError, match=why):
        check_plan(selected(relation, text), relation)


@pytest.mark.parametrize(
    "text",
    [
        "id + 1",
        "transform(xs, x -> x + 1)",
        "exists(xs, x -> x > 1)",
        "aggregate(xs, 0, (a, x) -> a + x)",
        "id IN (1, 2) AND name LIKE 'a%'",
        "try_variant_get(parse_json(name), '$.a', 'int')",
        "from_json(name, 'a INT')",
        "aes_encrypt(name, '0000111122223333')",
        "extract(YEAR FROM ts)",
        "ts + INTERVAL 1 DAY",
        "format_string('%s', name)",
        "collate(name, 'UNICODE_CI')",
        "m['a']",
        "uuid()",
    ],
)
def test_what_makes_a_value_of_a_record_is_free(relation: DataFrame, text: str) -> None:
    check_plan(selected(relation, text), relation)


def test_another_relation_is_refused_where_it_stands_in_place_of_ours(
    spark: SparkSession, relation: DataFrame
) -> None:
    with pytest.raises(RefusedPlanError, match="needs more than one record"):
        check_plan(spark.range(1).select("id"), relation)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("SELECT (  SELECT 1) AS x FROM record", "second SELECT"),
        (f"SELECT `reflect`({_JAVA}) AS x FROM record", "is refused: it calls Java"),
        ("SELECT 1 AS x FROM record WHERE (((TABLE text.`/etc/hostname`))) = ''", "another table"),
        (
            "SELECT array((/**/ FROM text.`/etc/hostname` |> AGGREGATE max(value))) AS x "
            "FROM record",
            "another table",
        ),
    ],
)
def test_a_statement_that_reaches_out_ends_the_connector_at_its_key(
    spark: SparkSession, statement: str, sentence: str
) -> None:
    config = chain(("frazil.transforms.Sql", {"statement": statement}))
    with pytest.raises(Exception, match=sentence) as caught:
        outcomes(spark, config, ['{"id": 1}'])
    assert "transforms.t0.statement" in str(caught.value)


def test_no_file_is_a_table(relation: DataFrame) -> None:
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
        selected(relation, "(TABLE text.`/etc/hostname`)")
