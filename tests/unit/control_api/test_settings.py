"""Settings: where things are by default, and what is refused."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from frazil.control_api.kafka.properties import read_properties
from frazil.control_api.settings import Settings


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_is_open_to_nobody_else(host: str) -> None:
    assert Settings(host=host).host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com"])
def test_listening_to_the_world_has_to_be_wanted(host: str) -> None:
    with pytest.raises(ValidationError, match="FRAZIL_ALLOW_REMOTE=true"):
        Settings(host=host)
    assert Settings(host=host, allow_remote=True).host == host


def test_everything_lies_in_the_home_folder_unless_told_otherwise(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    assert settings.database == f"sqlite:///{tmp_path}/control-api/connectors.db"
    assert settings.run_root == tmp_path / "control-api" / "runs"
    assert Settings(run_folder=tmp_path / "x").run_root == tmp_path / "x"


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAZIL_PORT", "9999")
    assert Settings().port == 9999


def test_client_properties_are_read_as_java_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("# comment\n! another\n\nsecurity.protocol = SSL\nsasl.jaas.config=a=b;\n")
    assert read_properties(file) == {"security.protocol": "SSL", "sasl.jaas.config": "a=b;"}


def test_the_readme_lists_every_setting_with_its_words() -> None:
    readme = (Path(__file__).parents[3] / "services" / "control-api" / "README.md").read_text()
    for name, field in Settings.model_fields.items():
        (row,) = [line for line in readme.splitlines() if f"| `FRAZIL_{name.upper()}` |" in line]
        assert row.endswith(f"| {field.description} |")
