"""Read the settings and stand in front of the engine's socket until a signal.

python -m frazil.control_api.docker_proxy
"""

import asyncio
import socket
import sys
from pathlib import Path

from frazil.control_api.docker_proxy.rules import Rules
from frazil.control_api.docker_proxy.server import DockerProxy, listening
from frazil.control_api.docker_settings import DockerProxySettings
from frazil.runtime import logs
from frazil.runtime.errors import UserError
from frazil.runtime.settings import read_settings
from frazil.runtime.tasks import stop_event

log = logs.get_logger("frazil.control_api.docker_proxy")


def main() -> None:
    try:
        settings = read_settings(DockerProxySettings)
        logs.configure(settings.log_level, settings.log_format)
        asyncio.run(_serve(settings, _listening(settings.docker_proxy_socket)))
    except UserError as error:
        sys.exit(str(error))


def _listening(path: Path) -> socket.socket:
    try:
        return listening(path)
    except OSError as error:
        raise UserError(f"The Docker proxy cannot listen at {path}: {error.strerror}") from error


async def _serve(settings: DockerProxySettings, listener: socket.socket) -> None:
    rules = Rules(settings.docker_options_of(settings.instance))
    engine = Path(settings.docker_host.removeprefix("unix://"))
    log.info("docker_proxy_listens", at=str(settings.docker_proxy_socket), engine=str(engine))
    await DockerProxy(rules, engine).serve(listener, stop_event())


if __name__ == "__main__":
    main()
