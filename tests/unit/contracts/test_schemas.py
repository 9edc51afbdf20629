"""Generated files: none has drifted from the code, and they say what validate says."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from schemas.generate import ROOT, config_schema, drifted, main, reference_page
from tests.support.sink_configs import VALID

from frazil.contracts.plugins import PLUGINS, Plugin
from frazil.contracts.plugins.iceberg_sink import ICEBERG_SINKS

CONFIG = Draft202012Validator(config_schema(list(ICEBERG_SINKS)))
every_plugin = pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.class_name)


def test_no_generated_file_has_drifted() -> None:
    assert drifted() == [], "run `make schemas`"


def test_the_check_passes_as_a_command() -> None:
    assert main(["--check"]) == 0


def test_the_check_names_what_has_drifted(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("schemas.generate.ROOT", tmp_path)
    assert main(["--check"]) == 1
    assert "schemas/ledger.schema.json" in capsys.readouterr().err


def test_generated_schemas_are_schemas() -> None:
    files = sorted((ROOT / "schemas").glob("*.schema.json"))
    assert files
    for file in files:
        Draft202012Validator.check_schema(json.loads(file.read_text()))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tasks.max": 2, "errors.log.enable": True},
        {"tasks.max": "2", "errors.log.enable": "true"},
        {"iceberg.table.streaming.apilogs.id-columns": "id", "spark.x": "1", "other": "x"},
        {"connector.class": "io.tabular.iceberg.connect.IcebergSinkConnector"},
    ],
    ids=lambda changes: " ".join(changes) or "valid",
)
def test_the_schema_takes_what_validate_takes(changes: dict[str, object]) -> None:
    CONFIG.validate({**VALID, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"iceberg.tabels": "x"},
        {"tasks.max": "abc"},
        {"tasks.max": 0},
        {"errors.tolerance": "some"},
        {"errors.log.enable": "yes"},
        {"frazil.driver.memory": "512"},
        {"connector.class": "Nope"},
        {"other": {"nested": "x"}},
    ],
    ids=lambda changes: " ".join(f"{key}={value}" for key, value in changes.items()),
)
def test_the_schema_refuses_what_validate_refuses(changes: dict[str, object]) -> None:
    assert not CONFIG.is_valid({**VALID, **changes})


@every_plugin
def test_the_example_of_the_reference_page_is_valid(plugin: Plugin) -> None:
    example = re.search(r"```json\n(.*?)```", reference_page([plugin]), re.DOTALL)
    assert example
    assert plugin.validate(json.loads(example[1])).error_count == 0


@every_plugin
def test_the_reference_page_tells_of_every_key(plugin: Plugin) -> None:
    page = reference_page([plugin])
    names = [key.name for key in plugin.keys + plugin.common_keys]
    forms = [family.form for family in plugin.families]
    assert [name for name in names + forms if f"| `{name}` |" not in page] == []
