from pathlib import Path

import pytest

from frazil.cli.catalog import CatalogKey, catalog_environment
from frazil.cli.folder import NotStartedError, StackFolder
from frazil.cli.tables import Tables


@pytest.fixture
def key(tmp_path: Path) -> CatalogKey:
    key = CatalogKey(tmp_path / "keys")
    key.make()
    return key


def test_a_key_is_for_its_owner_alone(key: CatalogKey) -> None:
    assert key.folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in key.folder.iterdir()} == {0o600}


def test_a_key_is_made_once_and_is_another_for_each_stack(key: CatalogKey, tmp_path: Path) -> None:
    before = (key.access_key, key.secret)
    key.make()
    assert (key.access_key, key.secret) == before
    other = CatalogKey(tmp_path / "other")
    other.make()
    assert other.access_key != key.access_key
    assert other.secret != key.secret


def test_a_key_half_made_by_a_killed_command_is_made_anew(key: CatalogKey) -> None:
    key.file.unlink()
    key.make()
    assert key.access_key
    assert len(key.secret) == 40


def test_neither_representation_nor_environment_has_the_secret(
    key: CatalogKey, tmp_path: Path
) -> None:
    told = catalog_environment(tmp_path, key, host="127.0.0.1", port=1)
    assert key.secret not in f"{key!r}{told}{key.reference}"
    assert told["FRAZIL_KEYS"] == str(key.file)


def test_tables_of_a_stack_that_never_was_up_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotStartedError, match="frazil dev --detach --stack mine"):
        Tables(StackFolder(tmp_path, "mine"))
