"""The settings of the local stack's control API."""

from pathlib import Path

from frazil.cli.folder import StackFolder
from frazil.cli.stack import control_api_environment


def settings(folder: Path, **inherited: str) -> dict[str, str]:
    return control_api_environment(
        StackFolder(folder, "dev"),
        port=1,
        bootstrap_servers="h:1",
        engine="process",
        inherited=inherited,
    )


def test_tables_are_read_from_catalogs_of_this_machine(tmp_path: Path) -> None:
    found = settings(tmp_path)
    assert found["FRAZIL_CATALOG_HOSTS"] == "*,localhost,127.0.0.1"
    assert found["FRAZIL_CATALOG_FOLDERS"] == str(Path.cwd())


def test_whoever_starts_the_stack_may_say_from_where_tables_are_read(tmp_path: Path) -> None:
    found = settings(tmp_path, FRAZIL_CATALOG_HOSTS="lake", FRAZIL_CATALOG_FOLDERS="/lake")
    assert (found["FRAZIL_CATALOG_HOSTS"], found["FRAZIL_CATALOG_FOLDERS"]) == ("lake", "/lake")
