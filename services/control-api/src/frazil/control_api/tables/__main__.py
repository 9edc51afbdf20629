"""Reads tables apart from the control API.

    python -m frazil.control_api.tables                a question on standard input, an answer
                                                       on standard output, and that is all
    python -m frazil.control_api.tables serve SOCKET   answers at a Unix socket, each question in
                                                       a process of its own

A process of its own, because PyIceberg weighs more than the control API, because only a process
can be ended while it waits for a catalog that does not answer, and because what catalogs answer
is not to be trusted (ADR 12).
"""

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from frazil.contracts.secrets import is_secret
from frazil.control_api.tables.child import Child
from frazil.control_api.tables.network import confine
from frazil.control_api.tables.service import serve
from frazil.control_api.tables.wire import Question
from frazil.runtime import logs
from frazil.runtime.settings import FrazilSettings, read_settings

_LONGEST_LIFE = 60


def main(arguments: Sequence[str]) -> None:
    match arguments:
        case []:
            _answer_once()
        case ["serve", socket]:
            settings = read_settings(FrazilSettings)
            logs.configure(settings.log_level, settings.log_format, is_secret=is_secret)
            asyncio.run(serve(Path(socket), Child()))
        case _:
            sys.exit(__doc__)


def _answer_once() -> None:
    # Whoever asked may be dead, and the catalog may never answer.
    signal.alarm(_LONGEST_LIFE)
    # The service never loads it, for it starts this.
    from frazil.control_api.tables.reading import answer  # noqa: PLC0415

    question = Question.model_validate_json(sys.stdin.read())
    confine(question.hosts)
    sys.stdout.write(answer(question).model_dump_json())


if __name__ == "__main__":
    main(sys.argv[1:])
