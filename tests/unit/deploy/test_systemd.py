"""The unit for systemd names settings that there are, and closes what it says."""

from pathlib import Path

from frazil.control_api.settings import Settings

UNIT = Path(__file__).parents[3] / "deploy" / "systemd" / "frazil-control-api.service"


def values(name: str) -> list[str]:
    lines = UNIT.read_text().splitlines()
    return [line.removeprefix(f"{name}=") for line in lines if line.startswith(f"{name}=")]


def test_each_variable_is_a_setting_of_the_control_api() -> None:
    names = [entry.partition("=")[0] for entry in values("Environment")]
    known = {f"FRAZIL_{name.upper()}" for name in Settings.model_fields}
    assert "FRAZIL_CREDENTIALS" in names
    assert set(names) <= known


def test_workers_that_would_lose_their_user_end_with_the_service() -> None:
    assert values("DynamicUser") == ["yes"]
    assert "FRAZIL_STOP_WORKERS_ON_EXIT=true" in values("Environment")
    assert values("CapabilityBoundingSet") == [""]
    assert values("ProtectSystem") == ["strict"]
