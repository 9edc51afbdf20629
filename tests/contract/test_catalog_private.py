"""What other users of the machine may open of a catalog's own files: nothing."""

from pathlib import Path

from tests.support.catalog_process import CatalogProcess


def test_the_database_of_a_catalog_is_closed_to_other_users_of_the_machine(tmp_path: Path) -> None:
    catalog = CatalogProcess(tmp_path, '["k"]\nsecret = "long-enough"\n')
    try:
        catalog.wait()
        found = list(tmp_path.glob("catalog.db*"))
        assert len(found) > 1
        assert [path for path in found if path.stat().st_mode & 0o077] == []
    finally:
        catalog.close()
