"""Questions over a Unix socket: tables are read where the engine of containers is out of reach."""

import asyncio
import os
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from frazil.control_api.tables.child import Child
from frazil.control_api.tables.streams import LARGEST, TooLargeError, read_to_end
from frazil.control_api.tables.wire import Answer, Question
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_AT_ONCE = 2


class ReaderSocket:
    """Asks the process that listens at a socket."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def __call__(self, question: Question) -> Answer:
        try:
            reader, writer = await asyncio.open_unix_connection(self._path)
            try:
                writer.write(question.model_dump_json().encode() + b"\n")
                return Answer.model_validate_json(await read_to_end(reader))
            finally:
                writer.close()
        except (OSError, TooLargeError, ValidationError) as error:
            return Answer(
                complaint="the table reader does not answer; see the log",
                detail=f"{self._path}: {type(error).__name__}: {error}",
            )


async def serve(path: Path, ask: Child) -> None:
    """Answer until a signal; only who runs as this user may ask."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            question = Question.model_validate_json(await reader.readline())
            async with turns:
                found = await _while_there(reader, ask(question))
            if found is not None:
                writer.write(found.model_dump_json().encode())
                await writer.drain()
        except (OSError, ValueError) as error:
            # Without its words: a question has secrets.
            log.warning("table_question_dropped", error=type(error).__name__)
        finally:
            writer.close()

    ended = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, ended.set)
    os.umask(0o077)
    async with await asyncio.start_unix_server(answer, path, limit=LARGEST):
        log.info("table_reader_ready", socket=str(path))
        await ended.wait()


async def _while_there(
    reader: asyncio.StreamReader, asking: Coroutine[Any, Any, Answer]
) -> Answer | None:
    """Wait for an answer until whoever asked has gone, who also decides how long to wait."""
    answer, gone = asyncio.ensure_future(asking), asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else None
    finally:
        answer.cancel()
        gone.cancel()
        await asyncio.gather(answer, gone, return_exceptions=True)
