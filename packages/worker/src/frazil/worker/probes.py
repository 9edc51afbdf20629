"""The worker's own HTTP: /health, /status and /metrics."""

import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from frazil.contracts.states import WorkerState
from frazil.worker.board import StatusBoard


class Probes(ThreadingHTTPServer):
    """Serves until the process ends."""

    daemon_threads = True

    def __init__(self, board: StatusBoard, host: str, port: int) -> None:
        super().__init__((host, port), _Handler)
        self.board = board

    def start(self) -> int:
        """Serve in the background and return the port."""
        threading.Thread(target=self.serve_forever, name="probes", daemon=True).start()
        return self.server_port


class _Handler(BaseHTTPRequestHandler):
    server: Probes

    def do_GET(self) -> None:
        if self.path == "/status":
            self._answer(HTTPStatus.OK, self.server.board.status.model_dump_json().encode())
        elif self.path == "/metrics":
            self._answer(HTTPStatus.OK, generate_latest(), CONTENT_TYPE_LATEST)
        elif self.path == "/health":
            self._health()
        else:
            self._answer(HTTPStatus.NOT_FOUND, b'{"error_code":404,"message":"Not Found"}')

    def _health(self) -> None:
        state = self.server.board.status.state
        code = HTTPStatus.OK if state is WorkerState.RUNNING else HTTPStatus.SERVICE_UNAVAILABLE
        self._answer(code, f'{{"status":"{state.lower()}"}}'.encode())

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
