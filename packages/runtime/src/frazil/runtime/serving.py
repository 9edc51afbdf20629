"""What all servers do alike: take a port, and end in peace."""

import signal
import socket
import ssl
from collections.abc import Coroutine
from typing import Any

import uvicorn
import uvloop

from frazil.runtime.asgi import App
from frazil.runtime.errors import UserError
from frazil.runtime.http_protocol import BoundedHttpProtocol
from frazil.runtime.http_settings import HttpSettings

_GRACE_SECONDS = 10


class CannotListenError(UserError):
    def __init__(self, who: str, address: str, error: OSError) -> None:
        super().__init__(
            f"{who} cannot listen on {address}: {error.strerror}. FRAZIL_PORT names another port."
        )


class BadTlsFilesError(UserError):
    def __init__(self, error: OSError) -> None:
        super().__init__(f"The files that FRAZIL_TLS_* name cannot be used: {error}")


def listen(host: str, port: int, *, who: str) -> socket.socket:
    """Take a port; 0 is any free one. Raises CannotListenError, which begins with `who`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named TCP, or asyncio leaves Nagle's algorithm on: 40 ms for each answer with a body.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # A port that a just-ended server had is free; one that a living server has is not.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise CannotListenError(who, f"{host}:{port}", error) from error
    return listener


def configured(app: App, settings: HttpSettings, *, proxy_headers: bool = True) -> uvicorn.Config:
    """Return how to serve the application. Raises BadTlsFilesError."""
    config = uvicorn.Config(
        app,
        http=BoundedHttpProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=proxy_headers,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
        ssl_ca_certs=str(settings.tls_client_ca) if settings.tls_client_ca else None,
        ssl_cert_reqs=ssl.CERT_REQUIRED if settings.tls_client_ca else ssl.CERT_NONE,
    )
    try:
        config.load()
    except OSError as error:
        raise BadTlsFilesError(error) from error
    return config


def serve(server: Coroutine[Any, Any, None]) -> None:
    """Run what ends with SIGTERM and SIGINT, and do not die by them when it has."""
    # uvicorn repeats a signal after a clean stop, which would turn that into a death by signal.
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: None)
    uvloop.run(server)
