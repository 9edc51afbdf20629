"""The JVM of a driver: a command line that is the same for the same jars, words without secrets."""

import io
from pathlib import Path

import pytest

from frazil.runtime.hiding import Hiding
from frazil.worker.jvm import _relay, class_path, java_command, unused_jars


def test_our_own_jars_come_first_and_jars_that_nobody_opens_stay_out(tmp_path: Path) -> None:
    (tmp_path / "b.jar").touch()
    (tmp_path / "a.jar").touch()
    names = [jar.name for jar in class_path(tmp_path)]
    assert names[:2] == ["a.jar", "b.jar"]
    assert any(name.startswith("spark-sql_") for name in names)
    assert not any(name.startswith(("spark-hive", "rocksdbjni")) for name in names)


def test_lz4_comes_from_our_own_jars_and_not_from_pyspark(tmp_path: Path) -> None:
    (tmp_path / "lz4-java-9.jar").touch()
    assert [jar for jar in class_path(tmp_path) if "lz4" in jar.name] == [
        tmp_path / "lz4-java-9.jar"
    ]
    assert any(jar.name.startswith("lz4-java-") for jar in unused_jars())


def test_the_command_names_the_gateway_last_and_the_heap_once() -> None:
    command = java_command(Path("/java"), [Path("x.jar"), Path("y.jar")], "512m", "-Xextra")
    assert command[0] == "/java"
    assert command[-3:] == ["-cp", "x.jar:y.jar", "org.apache.spark.api.python.PythonGatewayServer"]
    assert command.count("-Xmx512m") == 1
    assert "-Xextra" in command


@pytest.mark.parametrize(("memory", "first"), [("2g", "96m"), ("96m", "96m"), ("64m", "64m")])
def test_a_heap_does_not_begin_larger_than_it_may_become(memory: str, first: str) -> None:
    assert f"-Xms{first}" in java_command(Path("/java"), [], memory)


def test_what_the_jvm_says_is_passed_on_without_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    said = io.BytesIO(b"a\nfor tr0ub4dor&3\n\tat b\nlast" + b"\xff")
    _relay(said, Hiding(["tr0ub4dor&3"]))
    assert capsys.readouterr().err == "a\nfor [hidden]\n\tat b\nlast\ufffd"
