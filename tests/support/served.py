"""An application on a port of its own, in a thread of the test's process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from frazil.runtime.http_protocol import BoundedHttpProtocol
from frazil.runtime.serving import listen


@contextmanager
def served(app: ASGIApp, http: type[BoundedHttpProtocol] = BoundedHttpProtocol) -> Iterator[str]:
    """Yield where it is."""
    config = uvicorn.Config(app, http=http, ws="none", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    with listen("127.0.0.1", 0, who="The application") as listener:
        # Requests that come before the server does wait at the socket.
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=10)
