"""Traces that Connect's clients can read: class and sentence first, causes after."""

import re

from frazil.worker.errors import UnavailableError, WorkerError
from frazil.worker.trace import trace_of


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


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
    causes = [line for line in lines if line.startswith("Caused by: ")]
    assert causes == [
        "Caused by: builtins.ValueError: outer",
        "Caused by: builtins.KeyError: 'inner'",
    ]


def test_it_says_where_in_python_it_came_up_in_a_form_that_clients_leave_out() -> None:
    lines = trace_of(raised(ZeroDivisionError())).split("\n")
    assert re.fullmatch(r"\tat raised\(test_trace\.py:[0-9]+\)", lines[-1])
    assert lines[-1].endswith(")")


def test_of_javas_errors_all_causes_are_told_after_where_in_python_they_came_up() -> None:
    java = "a.FirstError: one\nCaused by: b.SecondError: two"
    lines = trace_of(raised(WorkerError("The worker failed unexpectedly: one", java))).split("\n")
    assert lines[0].endswith("The worker failed unexpectedly: one")
    assert lines[1].startswith("\tat raised(")
    assert lines[2:] == ["Caused by: a.FirstError: one", "Caused by: b.SecondError: two"]


def test_an_error_that_says_enough_needs_no_lines_of_code() -> None:
    assert "\tat" not in trace_of(raised(UnavailableError("Kafka is away.")))


def test_a_trace_stays_short_enough_to_show() -> None:
    assert len(trace_of(UnavailableError("x", "y" * 100_000))) <= 8000
