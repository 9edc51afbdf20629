"""Read the settings, take the port, serve; each failure to start is a sentence."""

import asyncio
import signal
import socket
import sys

import uvicorn
from fastapi import FastAPI
from pydantic import ValidationError

from frazil.control_api.app import create_app
from frazil.control_api.core.errors import ControlError
from frazil.control_api.settings import Settings
from frazil.runtime import logs

_GRACE_SECONDS = 10


def main() -> None:
    settings = _read_settings()
    logs.configure(settings.log_level, settings.log_format)
    with _listen(settings) as listener:
        port: int = listener.getsockname()[1]
        try:
            app = create_app(settings.model_copy(update={"port": port}))
        except (ControlError, OSError) as error:
            sys.exit(f"The control API cannot start: {error}")
        sys.exit(0 if _serve(app, listener) else 1)


def _serve(app: FastAPI, listener: socket.socket) -> bool:
    """Serve until a signal; false if the application did not come up."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    # uvicorn repeats a signal after a clean stop, which would turn that into a death by signal.
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: None)
    asyncio.run(server.serve(sockets=[listener]))
    return server.started


def _read_settings() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        complaints = (
            f"{'_'.join(['FRAZIL', *map(str, fault['loc'])]).upper()}: {fault['msg']}"
            for fault in error.errors()
        )
        sys.exit("The settings are not good:\n" + "\n".join(complaints))


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    # A port that a just-ended server had is free; one that a living server has is not.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen()
    except OSError as error:
        listener.close()
        sys.exit(
            f"The control API cannot listen on {settings.host}:{settings.port}: {error.strerror}. "
            "FRAZIL_PORT names another port."
        )
    return listener


if __name__ == "__main__":
    main()
