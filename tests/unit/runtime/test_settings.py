from pathlib import Path

import pytest

from frazil.runtime.settings import BadSettingsError, FrazilSettings, read_settings


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FRAZIL_JAVA_HOME", "JAVA_HOME", "FRAZIL_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_our_own_java_home_goes_before_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/usual")
    assert FrazilSettings().java_home == Path("/usual")
    monkeypatch.setenv("FRAZIL_JAVA_HOME", "/ours")
    assert FrazilSettings().java_home == Path("/ours")


def test_paths_are_absolute_because_children_run_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FRAZIL_HOME", "here")
    assert FrazilSettings().home == tmp_path / "here"


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.setenv("FRAZIL_HOME", "")
    assert FrazilSettings().java_home is None
    assert FrazilSettings().home.name == "frazil"


class _Settings(FrazilSettings):
    port: int = 1
    seconds: float = 1.0


def test_all_variables_that_make_no_sense_are_named_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FRAZIL_PORT", "no")
    monkeypatch.setenv("FRAZIL_SECONDS", "long")
    with pytest.raises(BadSettingsError) as caught:
        read_settings(_Settings)
    first, port, seconds = str(caught.value).splitlines()
    assert first == "The settings are not good:"
    assert port.startswith("FRAZIL_PORT: Input should be a valid integer")
    assert seconds.startswith("FRAZIL_SECONDS: Input should be a valid number")


def test_what_makes_sense_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAZIL_PORT", "8")
    assert read_settings(_Settings).port == 8
