"""Traces that Connect's clients can read: class and sentence first, causes after."""

from frazil.worker.errors import UnavailableError
from frazil.worker.trace import trace_of


def test_an_error_of_ours_leads_with_its_sentence() -> None:
    first, cause = trace_of(UnavailableError("Kafka is away.", "java.Timeout: 5 s")).split("\n")
    assert first == "org.apache.kafka.connect.errors.ConnectException: Kafka is away."
    assert cause == "Caused by: java.Timeout: 5 s"


def test_an_unexpected_error_names_its_class_and_its_own_cause() -> None:
    try:
        try:
            raise KeyError("inner")
        except KeyError as inner:
            raise ValueError("outer\nmore") from inner
    except ValueError as error:
        lines = trace_of(error).split("\n")
    assert lines[0].endswith("The worker failed unexpectedly: outer")
    assert "Caused by: builtins.ValueError: outer" in lines
    assert lines[-1] == "Caused by: builtins.KeyError: 'inner'"


def test_a_trace_stays_short_enough_to_show() -> None:
    assert len(trace_of(UnavailableError("x", "y" * 100_000))) <= 8000
