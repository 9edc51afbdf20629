"""Foreign errors become sentences that say what to do."""

import pytest

from frazil.contracts.exit_code import ExitCode
from frazil.spark_sink.catalog import catalog_error
from frazil.spark_sink.causes import reason_for
from frazil.spark_sink.failure import classify, explain
from frazil.worker.errors import BadRecordError
from frazil.worker.kafka import broker_error


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("TimeoutException: Timed out waiting", "does not answer"),
        ("UnknownTopicOrPartitionException: no", "Create it, or correct `topics`"),
        ("TopicAuthorizationException: no", "refused a request"),
    ],
)
def test_a_brokers_error_is_named(message: str, sentence: str) -> None:
    error = broker_error(message, "k:9092")
    assert sentence in str(error)
    assert error.cause == message


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("[TABLE_OR_VIEW_NOT_FOUND] no", ExitCode.BAD_TABLE),
        ("NoSuchNamespaceException: no", ExitCode.BAD_TABLE),
        ("SQLException: cannot open", ExitCode.UNAVAILABLE),
        ("org.apache.iceberg.exceptions.ForbiddenException: no", ExitCode.REFUSED),
        ("PSQLException: FATAL: password authentication failed for user", ExitCode.REFUSED),
        ("ClassNotFoundException: org.example.Catalog", ExitCode.BAD_CONFIG),
    ],
)
def test_a_catalogs_error_tells_missing_from_away(message: str, code: ExitCode) -> None:
    assert catalog_error(message, "ns.t").exit_code is code


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            "org.apache.iceberg.exceptions.ForbiddenException: Forbidden: the access key is not "
            "known: nobody\nCaused by: more",
            "refuses this connector: the access key is not known: nobody. Correct "
            "`iceberg.catalog.rest.access-key-id` and",
        ),
        ("NotAuthorizedException: Not authorized: no token", "`iceberg.catalog.token`"),
        ("x.ForbiddenException: no", "refuses this connector: no. Correct"),
        ("NoSuchWarehouseException: Warehouse does not exist: w", "`iceberg.catalog.warehouse`"),
        (
            "RESTException: Error occurred while processing GET request\nCaused by: "
            "HttpHostConnectException: Connection refused",
            "does not answer. Check `iceberg.catalog.uri`",
        ),
        ("SQLException: cannot open", "Check the `iceberg.catalog.*` keys"),
    ],
)
def test_a_catalogs_error_names_the_key_to_correct(message: str, sentence: str) -> None:
    error = catalog_error(message, "ns.t")
    assert sentence in str(error)
    assert error.cause == message


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("[KAFKA_DATA_LOSS.START_OFFSET_RESET] gone", ExitCode.DATA_LOSS),
        ("OffsetOutOfRangeException: 5", ExitCode.DATA_LOSS),
        ("org.apache.kafka.common.errors.TimeoutException: away", ExitCode.UNAVAILABLE),
        ("org.apache.iceberg.exceptions.ServiceFailureException: 502", ExitCode.UNAVAILABLE),
        ("KafkaException: x\nCaused by: RecordTooLargeException: 2 MB", ExitCode.BAD_RECORD),
        # What is the same at each start.
        ("org.apache.spark.sql.AnalysisException: days(ts) is not supported", ExitCode.BAD_TABLE),
        ("org.apache.spark.sql.catalyst.ExtendedAnalysisException: no x", ExitCode.BAD_TABLE),
        ("org.apache.spark.sql.catalyst.parser.ParseException: near x", ExitCode.BAD_TABLE),
        ("org.apache.iceberg.exceptions.ForbiddenException: Forbidden: no", ExitCode.REFUSED),
        ("NotAuthorizedException: Not authorized: no", ExitCode.REFUSED),
        (
            "org.apache.spark.SparkException: Job aborted\nCaused by: "
            "software.amazon.awssdk.services.s3.model.S3Exception: Access Denied (Service: S3, "
            "Status Code: 403, Request ID: 1)",
            ExitCode.REFUSED,
        ),
        (
            "UncheckedSQLException: Failed to connect\nCaused by: org.postgresql.util."
            'PSQLException: FATAL: password authentication failed for user "iceberg"',
            ExitCode.REFUSED,
        ),
        (
            "PSQLException: ERROR: permission denied for table iceberg_tables",
            ExitCode.REFUSED,
        ),
        ("KafkaException: x\nCaused by: SaslAuthenticationException: no", ExitCode.REFUSED),
        ("KafkaException: x\nCaused by: TopicAuthorizationException: [t]", ExitCode.REFUSED),
        (
            "KafkaException: Failed to construct kafka consumer\nCaused by: "
            "org.apache.kafka.common.config.ConfigException: Invalid value x",
            ExitCode.BAD_CONFIG,
        ),
        ('UnsupportedFileSystemException: No FileSystem for scheme "s4"', ExitCode.BAD_CONFIG),
        ("java.sql.SQLException: No suitable driver found for jdbc:x", ExitCode.BAD_CONFIG),
        ("Cannot initialize FileIO implementation x: not found", ExitCode.BAD_CONFIG),
        # What another start may bring: newer keys.
        (
            "S3Exception: The provided token has expired (Service: S3, Status Code: 403)\n"
            "Caused by: ExpiredToken",
            ExitCode.UNAVAILABLE,
        ),
    ],
)
def test_what_the_source_died_of_is_classified(message: str, code: ExitCode) -> None:
    found = classify(message)
    assert found is not None
    assert found.exit_code is code
    assert found.cause == message


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("a.B: what\nCaused by: c.D: why: so", "why: so"),
        ("a.B: what (x: y)\n== SQL ==\n+- a plan", "what (x: y)"),
        ("no class at all: what", "no class at all: what"),
    ],
)
def test_the_reason_is_the_sentence_of_the_innermost_error(message: str, reason: str) -> None:
    assert reason_for(message) == reason


def test_other_errors_stay_what_they_are() -> None:
    ours = BadRecordError("why")
    assert explain(ours) is ours
    assert classify("Janino could not compile") is None
