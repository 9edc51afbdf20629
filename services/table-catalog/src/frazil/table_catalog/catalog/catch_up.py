"""At the start: the folders of tables that an older version, or another catalog, has made."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from frazil.runtime.logs import get_logger
from frazil.table_catalog.catalog import folders, warehouses
from frazil.table_catalog.catalog.commits import parse
from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.warehouses import Warehouse
from frazil.table_catalog.core.errors import CatalogError
from frazil.table_catalog.core.folders import added_to, check_below, folders_of

log = get_logger(__name__)

_READERS = 16


def catch_up(database: Database, files: Files, warehouse: Warehouse) -> None:
    """Write down the folders of all tables and views that have none, as their metadata say."""
    with database.read() as connection:
        found = folders.unknown(connection, warehouse.name)
    if not found:
        return
    with ThreadPoolExecutor(_READERS) as pool:
        root = warehouse.location
        named = pool.map(lambda location: _folders_at(files, location, root), found.values())
        learned = dict(zip(found, named, strict=True))
    with database.write() as connection:
        # Another process that starts at the same moment may have done it by now.
        warehouses.hold(connection, warehouse.name, alone=True)
        for identifier in folders.unknown(connection, warehouse.name).keys() & learned.keys():
            folders.note(connection, warehouse.name, identifier, learned[identifier])
    log.info("folders_written_down", warehouse=warehouse.name, tables=len(learned))


def _folders_at(files: Files, location: str, root: str) -> Sequence[str]:
    """Read them; of metadata that are not good the folder is where they usually are."""
    try:
        named = folders_of(parse(files.read_metadata(location)))
        check_below(named, root)
    except (CatalogError, ValueError, TypeError, AttributeError) as error:
        log.warning("folders_guessed", metadata=location, why=str(error))
        named = []
    usual = location.rpartition("/")[0].removesuffix("/metadata")
    return added_to((), named or [usual])
