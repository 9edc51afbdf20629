"""The worker's own HTTP: /health, /status, /members and /metrics."""

import json
import socket
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from frazil.contracts.states import WorkerState
from frazil.worker.board import StatusBoard

MOST_CONNECTIONS = 32
IDLE_SECONDS = 5.0
# As the standard library has it: a datagram is one, too.
_Request = socket.socket | tuple[bytes, socket.socket]


class Boards:
    """The status boards of a process, by connector; there is but one where it has but one."""

    def __init__(self) -> None:
        self._boards: dict[str, StatusBoard] = {}

    def add(self, board: StatusBoard) -> StatusBoard:
        self._boards[board.status.connector] = board
        return board

    def remove(self, board: StatusBoard) -> None:
        # A newer worker of the same connector may have come meanwhile.
        if self._boards.get(board.status.connector) is board:
            del self._boards[board.status.connector]

    def of(self, connector: str | None) -> StatusBoard | None:
        """Find the board of a connector; None asks for the only one there is."""
        boards = list(self._boards.values())
        if connector is not None:
            return self._boards.get(connector)
        return boards[0] if len(boards) == 1 else None

    @property
    def states(self) -> dict[str, WorkerState]:
        return {name: board.status.state for name, board in list(self._boards.items())}

    @property
    def trouble(self) -> WorkerState | None:
        """Return the state of one that does not run, if there is one."""
        states = self.states.values()
        return next((state for state in states if state is not WorkerState.RUNNING), None)


class Probes(ThreadingHTTPServer):
    """Serves until the process ends, whoever connects: the port asks nobody who they are."""

    daemon_threads = True

    def __init__(self, boards: Boards, host: str, port: int) -> None:
        super().__init__((host, port), _Handler)
        self.boards = boards
        self._open: dict[object, None] = {}
        self._lock = threading.Lock()

    def process_request(self, request: _Request, client_address: Any) -> None:
        """Answer in a thread; of too many connections the oldest gives way to the newest."""
        with self._lock:
            self._open[request] = None
            oldest = next(iter(self._open)) if len(self._open) > MOST_CONNECTIONS else None
            self._open.pop(oldest, None)
        if isinstance(oldest, socket.socket):
            with suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def shutdown_request(self, request: _Request) -> None:
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, *_: object) -> None:
        """Say nothing: a connection that ends early is not news either."""

    def start(self) -> int:
        """Serve in the background and return the port."""
        threading.Thread(target=self.serve_forever, name="probes", daemon=True).start()
        return self.server_port


class _Handler(BaseHTTPRequestHandler):
    server: Probes
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        match asked.path:
            case "/status":
                self._status(parse_qs(asked.query).get("connector", [None])[0])
            case "/members":
                self._answer(HTTPStatus.OK, json.dumps(self.server.boards.states).encode())
            case "/metrics":
                self._answer(HTTPStatus.OK, generate_latest(), CONTENT_TYPE_LATEST)
            case "/health":
                self._health()
            case _:
                self._refuse("Not Found")

    def _status(self, connector: str | None) -> None:
        board = self.server.boards.of(connector)
        if board is None:
            self._refuse("No such connector here: ask for /status?connector=NAME")
        else:
            self._answer(HTTPStatus.OK, board.status.model_dump_json().encode())

    def _health(self) -> None:
        trouble = self.server.boards.trouble
        code = HTTPStatus.OK if trouble is None else HTTPStatus.SERVICE_UNAVAILABLE
        state = trouble or WorkerState.RUNNING
        self._answer(code, f'{{"status":"{state.lower()}"}}'.encode())

    def _refuse(self, why: str) -> None:
        self._answer(HTTPStatus.NOT_FOUND, f'{{"error_code":404,"message":"{why}"}}'.encode())

    def _answer(
        self, code: HTTPStatus, body: bytes, content_type: str = "application/json"
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing: a probe every second is not news."""
