"""How a death is read, and the traces that the control API writes itself."""

from dataclasses import replace

import pytest
from tests.support.control_api import exited, killed, status

from frazil.contracts.exit_code import ExitCode
from frazil.control_api.core.ending import ending_of
from frazil.control_api.core.observation import Worker

CLASS = "org.apache.kafka.connect.errors.ConnectException: "


def test_a_kill_is_named_by_its_signal_with_the_end_of_the_log() -> None:
    ending = ending_of("logs", killed())
    assert ending.retriable
    assert ending.trace.splitlines() == [
        f"{CLASS}The worker of logs was killed by signal 9, SIGKILL.",
        "The last lines of its log:",
        "\tone",
        "\ttwo",
    ]


def test_an_unknown_signal_is_named_by_its_number() -> None:
    trace = ending_of("logs", Worker(5, alive=False, exit_status=-99)).trace
    assert "signal 99, unknown to this system" in trace


def test_a_worker_of_another_api_that_left_no_words_is_said_to_have_left_none() -> None:
    ending = ending_of("logs", Worker(5, alive=False, status=status()))
    assert ending.retriable
    assert ending.trace == f"{CLASS}The worker of logs was killed or crashed without a word."


def test_the_workers_own_trace_is_taken_as_it_is() -> None:
    said = "org.apache.iceberg.exceptions.NoSuchTableException: gone\nCaused by: x: y"
    assert ending_of("logs", exited(ExitCode.BAD_TABLE, said)).trace == said


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_has_a_sentence_and_a_verdict(code: ExitCode) -> None:
    ending = ending_of("logs", exited(code))
    assert ending.trace.startswith(f"{CLASS}The worker of logs ")
    assert f"exit code {code.value}" in ending.trace
    assert ending.retriable == (code in {ExitCode.OK, ExitCode.CRASHED, ExitCode.UNAVAILABLE})


def test_an_exit_code_that_nobody_knows_is_a_crash() -> None:
    ending = ending_of("logs", Worker(5, alive=False, exit_status=77))
    assert ending.retriable
    assert "crashed, exit code 77" in ending.trace


def test_a_run_of_which_nothing_is_left_has_vanished() -> None:
    ending = ending_of("logs", None)
    assert ending.retriable
    assert "has vanished" in ending.trace


@pytest.mark.parametrize("worker", [None, killed(), exited(ExitCode.BAD_CONFIG)])
def test_first_lines_end_so_that_no_client_drops_them(worker: Worker | None) -> None:
    # Redpanda Console drops lines that end in a bracket or in "exception".
    first = ending_of("logs", worker).trace.splitlines()[0]
    assert not first.lower().endswith((")", "exception"))


def test_the_engines_own_word_comes_before_what_the_worker_said() -> None:
    cause = "needed more memory than the 64 MB of its container; raise frazil.container.memory"
    worker = replace(exited(ExitCode.BAD_CONFIG, "said"), cause=cause, log_tail="one")
    ending = ending_of("logs", worker)
    assert ending.retriable
    assert ending.trace.startswith(f"{CLASS}The worker of logs {cause}.")
    assert ending.trace.endswith("\tone")
