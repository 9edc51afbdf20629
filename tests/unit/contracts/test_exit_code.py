"""Exit codes, as an engine reads them."""

import pytest

from frazil.contracts.exit_code import ExitCode


@pytest.mark.parametrize("code", ExitCode)
def test_a_known_code_is_itself(code: ExitCode) -> None:
    assert ExitCode.of(int(code)) is code


@pytest.mark.parametrize("status", [None, -9, 137, 2, 255], ids=str)
def test_signals_and_unknown_codes_are_crashes(status: int | None) -> None:
    assert ExitCode.of(status) is ExitCode.CRASHED


def test_only_crashes_and_absences_are_worth_another_try() -> None:
    retriable = {code for code in ExitCode if code.is_retriable}
    assert retriable == {ExitCode.CRASHED, ExitCode.UNAVAILABLE}
