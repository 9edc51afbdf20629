"""Foreign errors become sentences that say what to do."""

import pytest

from frazil.contracts.exit_code import ExitCode
from frazil.spark_sink.catalog import catalog_error
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
    ],
)
def test_what_the_source_died_of_is_classified(message: str, code: ExitCode) -> None:
    found = classify(message)
    assert found is not None
    assert found.exit_code is code


def test_other_errors_stay_what_they_are() -> None:
    ours = BadRecordError("why")
    assert explain(ours) is ours
    assert classify("Janino could not compile") is None
