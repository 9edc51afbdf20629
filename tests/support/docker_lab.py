"""A real Docker engine for tests: is there one, the stand-in's image, a way to lose the daemon."""

import asyncio
import hashlib
import socket
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

import docker
from docker.errors import ImageNotFound

from frazil.control_api.docker_proxy.rules import Rules
from frazil.control_api.docker_proxy.server import DockerProxy, listening
from frazil.control_api.engine.docker_spec import DockerOptions

SOCKET = Path("/var/run/docker.sock")
BASE_IMAGE = "debian:trixie-slim"
WORKER_IMAGE = "frazil-worker:0.1.0"

_HERE = Path(__file__).parent
_DOCKERFILE = _HERE / "stand_in_image" / "Dockerfile"
_CONTEXT = (_DOCKERFILE, _HERE / "stand_in_worker.py")


@cache
def daemon() -> docker.DockerClient:
    return docker.DockerClient(f"unix://{SOCKET}", timeout=60)


@cache
def missing(image: str) -> str | None:
    """Say what keeps tests from a container of an image; None if nothing does."""
    if not _answers():
        return f"no Docker engine answers at {SOCKET} (deploy/airgap/engine.sh brings one)"
    try:
        daemon().images.get(image)
    except ImageNotFound:
        return f"the Docker engine has no image {image} (deploy/airgap, `make images`)"
    return None


def _answers() -> bool:
    # Asked without the client, which does not close a socket that it could not connect.
    with socket.socket(socket.AF_UNIX) as knock, suppress(OSError):
        knock.connect(str(SOCKET))
        return True
    return False


@cache
def stand_in_image() -> str:
    """Build the stand-in's image, unless it is there as it should be."""
    content = b"".join(file.read_bytes() for file in _CONTEXT)
    tag = f"frazil-stand-in:{hashlib.sha256(content).hexdigest()[:12]}"
    if missing(tag):
        name = str(_DOCKERFILE.relative_to(_HERE))
        daemon().images.build(path=str(_HERE), dockerfile=name, tag=tag, rm=True)
    return tag


class SocketProxy:
    """Stands between an engine and the daemon, and takes it away when it is told to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listener: socket.socket | None = None
        self._ends: set[socket.socket] = set()

    @property
    def url(self) -> str:
        return f"unix://{self._path}"

    def open(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._path))
        self._listener.listen()
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        if self._listener is not None:
            self._end(self._listener)
        for end in list(self._ends):
            self._end(end)

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(str(SOCKET))
                self._ends |= {near, far}
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._copy, args=[one, other], daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                target.sendall(part)
        self._end(source)
        self._end(target)

    def _end(self, end: socket.socket) -> None:
        self._ends.discard(end)
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


class ConfinedSocket:
    """The proxy of the product before a socket, in a thread of its own."""

    def __init__(self, path: Path, engine: Path, options: DockerOptions) -> None:
        self.path = path
        self._proxy = DockerProxy(Rules(options), engine)
        self._over = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        return f"unix://{self.path}"

    def open(self) -> None:
        self._listener = listening(self.path)
        self._thread.start()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._proxy.serve(self._listener, self._over))
