"""Starts a process for each question, which can be ended whatever it waits for."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress

from pydantic import ValidationError

from frazil.control_api.tables.settings import reader_environment
from frazil.control_api.tables.streams import TooLargeError, read_tail, read_to_end
from frazil.control_api.tables.wire import Answer, Question

# `-P` and `/`: nothing is imported from the folder where the control API was started.
_COMMAND = (sys.executable, "-P", "-m", "frazil.control_api.tables")
_NOISE_KEPT = 2000


class Child:
    """Asks a process of its own; tests put other commands in its place."""

    def __init__(
        self, command: Sequence[str] = _COMMAND, environment: Mapping[str, str] | None = None
    ) -> None:
        self._command = command
        self._environment = reader_environment() if environment is None else environment

    async def __call__(self, question: Question) -> Answer:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self._environment,
            cwd="/",
        )
        try:
            text, noise = await _talk(process, question.model_dump_json().encode())
        except TooLargeError:
            return Answer(complaint="it says more than any table has to say")
        finally:
            # Also when the time is up or the caller has gone: nobody waits for it any more.
            if process.returncode is None:
                process.kill()
                await _let_go(process)
        try:
            return Answer.model_validate_json(text)
        except ValidationError:
            return Answer(
                complaint="the process that reads tables has died; see the log",
                detail=f"{noise.decode(errors='replace')}\nexit code {process.returncode}",
            )


async def _talk(process: Process, question: bytes) -> tuple[bytes, bytes]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise RuntimeError("the process was started without pipes")
    with suppress(ConnectionError):  # it has died already, which its exit code says better
        process.stdin.write(question)
        await process.stdin.drain()
    process.stdin.close()
    answer, noise = await asyncio.gather(
        read_to_end(process.stdout), read_tail(process.stderr, _NOISE_KEPT)
    )
    await process.wait()
    return answer, noise


async def _let_go(process: Process) -> None:
    """Wait for the end of a process that was killed; pipes that are not read stay open."""
    if process.stdout is not None:
        await read_tail(process.stdout, 1)
    await process.wait()
