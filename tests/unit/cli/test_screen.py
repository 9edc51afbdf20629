"""How answers are shown, whatever the width of the terminal."""

import pytest

from frazil.cli.screen import Screen


def shown(columns: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    names = [f"column{number}" for number in range(columns)]
    Screen().table(names, [[f"value{number}" for number in range(columns)]])
    return capsys.readouterr().out.splitlines()


def test_few_columns_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert any("column0" in line and "column2" in line for line in shown(3, capsys))


def test_many_columns_are_lines_of_name_and_value(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(30, capsys)
    assert any("column29" in line and "value29" in line for line in lines)
    assert not any("column0 " in line and "column1 " in line for line in lines)
