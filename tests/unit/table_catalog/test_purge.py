from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.purge import Purge


def purge_logged(table: Path, metadata: dict[str, Any], others: Sequence[str] = ()) -> list[str]:
    """Purge, and return what was not."""
    place = table.as_uri()
    with capture_logs() as records:
        Purge(Files(), [place], others).run(f"{place}/metadata/1.metadata.json", metadata)
    return [str(one.get("file", one.get("why"))) for one in records if one["log_level"] != "info"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "table"
    (table / "metadata").mkdir(parents=True)
    for name in ("0.metadata.json", "1.metadata.json", "stats"):
        (table / "metadata" / name).touch()
    return table


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    victim = tmp_path / "victim"
    victim.write_text("of others")
    return victim


def test_files_of_the_table_are_deleted(table: Path) -> None:
    folder = (table / "metadata").as_uri()
    metadata = {
        "statistics": [{"statistics-path": f"{folder}/stats"}],
        "metadata-log": [{"metadata-file": f"{folder}/0.metadata.json"}],
    }
    assert purge_logged(table, metadata) == []
    assert list((table / "metadata").iterdir()) == []


@pytest.mark.parametrize("way", ["{victim}", "{table}/../victim", "{table}/%2e%2e/victim"])
def test_metadata_cannot_have_files_of_others_deleted(table: Path, victim: Path, way: str) -> None:
    path = way.format(victim=victim.as_uri(), table=table.as_uri())
    metadata = {
        "statistics": [{"statistics-path": path}],
        "partition-statistics": [{"statistics-path": path}],
        "metadata-log": [{"metadata-file": path}],
    }
    assert purge_logged(table, metadata) == [path]
    assert victim.exists()


def test_manifests_of_others_are_not_even_read(table: Path, victim: Path) -> None:
    (complaint,) = purge_logged(table, {"snapshots": [{"manifest-list": victim.as_uri()}]})
    assert "is not in the table's own folder" in complaint


@pytest.mark.parametrize("way", ["{table}/nested/x", "{table}//nested/x", "{table}/nested//x"])
@pytest.mark.parametrize("other", ["{table}/nested", "{table}", "{table}/.."])
def test_files_in_a_folder_of_another_table_stay(table: Path, way: str, other: str) -> None:
    folder = Path(other.format(table=table)).resolve().as_uri()
    nested = table / "nested"
    nested.mkdir()
    (nested / "x").touch()
    path = way.format(table=table.as_uri())
    kept = purge_logged(table, {"metadata-log": [{"metadata-file": path}]}, [folder])
    assert path in kept
    assert (nested / "x").exists()
