"""Read the settings, take the port, serve: `python -m frazil.table_catalog`."""

import gc
import sys

import uvicorn

from frazil.runtime import logs
from frazil.runtime.errors import UserError
from frazil.runtime.private import keep_private
from frazil.runtime.serving import configured, listen, serve
from frazil.runtime.settings import read_settings
from frazil.table_catalog.app import create_app
from frazil.table_catalog.core.errors import CatalogError
from frazil.table_catalog.settings import Settings


def main() -> None:
    try:
        sys.exit(0 if _run() else 1)
    except UserError as error:
        sys.exit(str(error))


def _run() -> bool:
    """Serve until a signal; false if the application did not come up."""
    keep_private()
    settings = read_settings(Settings)
    logs.configure(settings.log_level, settings.log_format)
    with listen(settings.host, settings.port, who="The catalog") as listener:
        try:
            app = create_app(settings)
        except (CatalogError, OSError) as error:
            sys.exit(f"The catalog cannot start: {error}")
        config = configured(app, settings)
        # What is there by now stays; to go through it each time would halt all calls.
        gc.freeze()
        server = uvicorn.Server(config)
        serve(server.serve(sockets=[listener]))
        return server.started


if __name__ == "__main__":
    main()
