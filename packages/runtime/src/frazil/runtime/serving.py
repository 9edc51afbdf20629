"""What all servers do alike: take a port, and end in peace."""

import signal
import socket
from collections.abc import Coroutine
from typing import Any

import uvloop

from frazil.runtime.errors import UserError


class CannotListenError(UserError):
    def __init__(self, who: str, address: str, error: OSError) -> None:
        super().__init__(
            f"{who} cannot listen on {address}: {error.strerror}. FRAZIL_PORT names another port."
        )


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


def serve(server: Coroutine[Any, Any, None]) -> None:
    """Run what ends with SIGTERM and SIGINT, and do not die by them when it has."""
    # uvicorn repeats a signal after a clean stop, which would turn that into a death by signal.
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: None)
    uvloop.run(server)
