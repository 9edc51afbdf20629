"""The Docker daemon: its client, which blocks, in threads, and its errors in our words.

No other module knows the client.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath
from typing import Any, TypeVar

import docker
import requests
import urllib3
from docker.errors import APIError, DockerException, StreamParseError

from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.pump import pumped

_THREADS = 8
_LARGEST_ARCHIVE = 4 * 1024 * 1024
_HTTP_NOT_FOUND = 404
_HTTP_CONFLICT = 409
_HTTP_BAD_GATEWAY = 502

# What the client raises without an answer, also when one was cut off in the middle.
_AWAY = (DockerException, StreamParseError, urllib3.exceptions.HTTPError, OSError, ValueError)

T = TypeVar("T")
Answer = Mapping[str, Any]
Api = Any  # docker.APIClient, of which the published types know too little


class GoneError(EngineError):
    """What was asked for is not there."""


class ConflictError(EngineError):
    """It is there already, or in another state than the request needs."""


class TooLargeError(EngineError):
    """There is more of it than is read."""


class Daemon:
    """Methods raise GoneError, ConflictError, or EngineError with a sentence.

    `trouble` is why the last call got no answer; None since one got any.
    """

    def __init__(self, url: str, timeout: float = 10.0) -> None:
        self._url = url
        self._timeout = timeout
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="docker")
        self._making = threading.Lock()
        self._clients: dict[float | None, Api] = {}
        self.trouble: str | None = None

    async def containers(self, labels: Sequence[str]) -> list[Answer]:
        """List containers that have all these labels, whatever their state."""
        filters = {"label": list(labels)}
        return await self._call(lambda api: api.containers(all=True, filters=filters))

    async def inspect(self, container: str) -> Answer:
        return await self._call(lambda api: api.inspect_container(container))

    async def create(self, name: str, description: Answer) -> str:
        """Return the container's id."""
        made = await self._call(lambda api: api.create_container_from_config(description, name))
        return str(made["Id"])

    async def put(self, container: str, folder: PurePosixPath, archive: bytes) -> None:
        await self._call(lambda api: api.put_archive(container, str(folder), archive))

    async def get(self, container: str, file: PurePosixPath) -> bytes:
        """Return the file, or the folder with all that is in it, packed in an archive.

        Raises TooLargeError for more than ours ever is: it is the container that writes there.
        """
        return await self._call(lambda api: _bounded(api.get_archive(container, str(file))[0]))

    async def start(self, container: str) -> None:
        await self._call(lambda api: api.start(container))

    async def signal(self, container: str, name: str) -> None:
        await self._call(lambda api: api.kill(container, name))

    async def remove(self, container: str) -> None:
        """Remove a container that does not live, with its volumes that have no name."""
        await self._call(lambda api: api.remove_container(container, v=True))

    async def log_tail(self, container: str, lines: int) -> bytes:
        return await self._call(lambda api: api.logs(container, tail=lines))

    async def stamped_log(self, container: str, *, since: float | None, lines: int) -> bytes:
        """Return the last of the lines that were written since then, each after its time."""
        options = {"timestamps": True, "since": since, "tail": lines}
        return await self._call(lambda api: api.logs(container, **options))

    async def has_image(self, image: str) -> bool:
        try:
            await self._call(lambda api: api.inspect_image(image))
        except GoneError:
            return False
        return True

    def log(self, container: str, *, tail: int, follow: bool) -> AsyncGenerator[bytes, None]:
        """Yield parts of the log as they come, which need not be lines."""
        options = {"stream": True, "follow": follow, "tail": tail}
        return self._stream(lambda api: api.logs(container, **options))

    def events(
        self, filters: Mapping[str, Sequence[str]], since: float
    ) -> AsyncGenerator[Answer, None]:
        options = {"since": since, "filters": filters, "decode": True}
        return self._stream(lambda api: api.events(**options))

    def pull(self, image: str) -> Iterator[Answer]:
        """Load an image, in the caller's thread, for as long as it takes."""
        with self._explained():
            yield from self._client(None).pull(image, stream=True, decode=True)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for client in self._clients.values():
            client.close()

    async def _call(self, question: Callable[[Api], T]) -> T:
        def ask() -> T:
            with self._explained():
                return question(self._client(self._timeout))

        return await asyncio.get_running_loop().run_in_executor(self._threads, ask)

    def _stream(self, question: Callable[[Api], Any]) -> AsyncGenerator[Any, None]:
        return pumped(lambda: _Answers(self._explained, lambda: question(self._client(None))))

    def _client(self, timeout: float | None) -> Api:
        """Make a client when it is first needed: already to make one is to ask the daemon."""
        with self._making:
            if timeout not in self._clients:
                client: Api = docker.APIClient(
                    self._url,
                    version="auto",
                    timeout=self._timeout,  # type: ignore[arg-type]
                )
                client.timeout = timeout
                self._clients[timeout] = client
            return self._clients[timeout]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn whatever the client raises into an EngineError."""
        try:
            yield
        except APIError as error:
            # What stands before the engine speaks for one that does not answer.
            away = error.status_code == _HTTP_BAD_GATEWAY
            self.trouble = self._out_of_reach(str(error.explanation)) if away else None
            raise (EngineError(self.trouble) if self.trouble else _refusal(error)) from error
        except _AWAY as error:
            self.trouble = self._out_of_reach(self._reason(error))
            raise EngineError(self.trouble) from error
        self.trouble = None

    def _out_of_reach(self, reason: str) -> str:
        return f"the Docker engine at {self._url} is out of reach: {reason}"

    def _reason(self, error: Exception) -> str:
        for cause in _causes(error):
            if isinstance(cause, APIError) and cause.explanation:
                return str(cause.explanation)
            if isinstance(cause, TimeoutError | requests.Timeout | urllib3.exceptions.TimeoutError):
                return f"it does not answer within {self._timeout:g} s"
            if isinstance(cause, OSError) and cause.strerror:
                return cause.strerror
        return type(error).__name__


class _Answers:
    """A stream of answers with errors of ours, which another thread may close."""

    def __init__(self, explained: Callable[[], Any], open_stream: Callable[[], Any]) -> None:
        self._explained = explained
        with explained():
            self._answers = open_stream()

    def __iter__(self) -> Iterator[Any]:
        with self._explained():
            yield from self._answers

    def close(self) -> None:
        # It may be over already.
        with suppress(OSError, AttributeError, ValueError):
            self._answers.close()


def _bounded(parts: Iterable[bytes]) -> bytes:
    whole = bytearray()
    for part in parts:
        whole += part
        if len(whole) > _LARGEST_ARCHIVE:
            raise TooLargeError(f"there are more than {_LARGEST_ARCHIVE} bytes of it")
    return bytes(whole)


def _refusal(error: APIError) -> EngineError:
    kinds = {_HTTP_NOT_FOUND: GoneError, _HTTP_CONFLICT: ConflictError}
    kind = kinds.get(error.status_code or 0, EngineError)
    return kind(f"Docker refuses: {error.explanation or error}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and all that is behind it; requests keeps causes among the arguments."""
    if error is None:
        return
    yield error
    for argument in error.args:
        if isinstance(argument, BaseException):
            yield from _causes(argument)
    yield from _causes(error.__cause__)
