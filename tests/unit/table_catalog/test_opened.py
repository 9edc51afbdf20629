"""Where a catalog reads at once, and where a thread has to wait for it."""

from pathlib import Path

from frazil.table_catalog.catalog.database import open_database
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.opened import Catalog


def test_sqlite_and_a_folder_are_at_hand(tmp_path: Path) -> None:
    catalog = Catalog.open(f"sqlite:///{tmp_path}/c.db", tmp_path.as_uri(), Files())
    assert catalog.is_local
    catalog.close()


def test_a_store_is_not(tmp_path: Path) -> None:
    catalog = Catalog.open(f"sqlite:///{tmp_path}/c.db", "s3://bucket", Files())
    assert not catalog.is_local
    catalog.close()


def test_a_server_of_databases_is_not() -> None:
    assert not open_database("postgresql://nowhere/lake").is_file
