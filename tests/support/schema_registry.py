"""A schema registry in the form of Confluent's: schemas by id, over HTTP."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@contextmanager
def schema_registry(
    answers: Mapping[int | str, Mapping[str, Any]],
) -> Iterator[tuple[str, list[str]]]:
    """Serve answers by id or path; yields the address, and the paths and credentials asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.path} {self.headers.get('Authorization', '')}".strip())
            found = answers.get(self.path) or answers.get(int(self.path.rpartition("/")[2]))
            body = json.dumps(found or {"error_code": 40403}).encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
