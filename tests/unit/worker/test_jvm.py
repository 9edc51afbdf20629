"""The command line of a driver's JVM: the same for the same jars, whatever the order on disk."""

from pathlib import Path

from frazil.worker.jvm import class_path, java_command


def test_our_own_jars_come_first_and_jars_that_nobody_opens_stay_out(tmp_path: Path) -> None:
    (tmp_path / "b.jar").touch()
    (tmp_path / "a.jar").touch()
    names = [jar.name for jar in class_path(tmp_path)]
    assert names[:2] == ["a.jar", "b.jar"]
    assert any(name.startswith("spark-sql_") for name in names)
    assert not any(name.startswith(("spark-hive", "rocksdbjni")) for name in names)


def test_the_command_names_the_gateway_last_and_the_heap_once() -> None:
    command = java_command(Path("/java"), [Path("x.jar"), Path("y.jar")], "512m", "-Xextra")
    assert command[0] == "/java"
    assert command[-3:] == ["-cp", "x.jar:y.jar", "org.apache.spark.api.python.PythonGatewayServer"]
    assert command.count("-Xmx512m") == 1
    assert "-Xextra" in command
