"""An issuer of OAuth tokens without signature, as Kafka's validator for tests takes them."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

_SECONDS = 3600


@contextmanager
def token_issuer(subject: str, client: str, secret: str) -> Iterator[str]:
    """Serve the token endpoint for one client; yields its address."""
    expected = "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            granted = self.headers["Authorization"] == expected
            answer = {"access_token": _token(subject)} if granted else {"error": "invalid_client"}
            body = json.dumps(answer).encode()
            self.send_response(200 if granted else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/token"
        finally:
            server.shutdown()
            thread.join(10)


def _token(subject: str) -> str:
    now = int(time.time())
    claims = {"sub": subject, "iat": now, "exp": now + _SECONDS, "scope": "kafka"}
    return ".".join((_part({"alg": "none"}), _part(claims), ""))


def _part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
