"""A REST catalog that answers what it is given to answer."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

ROWS = pa.table({"id": [1]})
LOCAL = "127.0.0.1"
CONFIG, TABLE = "/v1/config", "/v1/namespaces/streaming/tables/rows"


@dataclass
class Hostile:
    """Answers of paths, and all requests that came: method, path, headers."""

    answers: dict[str, Any]
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    url: str = ""


@contextmanager
def served(answers: dict[str, Any]) -> Iterator[Hostile]:
    hostile = Hostile(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            hostile.requests.append((self.command, self.path, dict(self.headers)))
            found = hostile.answers.get(self.path.partition("?")[0], (404, {}, b"{}"))
            status, headers, body = found if isinstance(found, tuple) else (200, {}, found)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer((LOCAL, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        hostile.url = f"http://{LOCAL}:{server.server_port}"
        yield hostile
        server.shutdown()


def honest_metadata(folder: Path) -> dict[str, Any]:
    """Make a table; return its metadata."""
    catalog = SqlCatalog(
        "iceberg", uri=f"sqlite:///{folder}/made.db", warehouse=f"file://{folder}/made"
    )
    catalog.create_namespace("streaming")
    table = catalog.create_table("streaming.rows", ROWS.schema)
    catalog.engine.dispose()
    found: dict[str, Any] = json.loads(table.metadata.model_dump_json())
    return found


def answers(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the answers of an honest catalog of one table."""
    table = {"metadata-location": "s3://b/w/m.json", "metadata": metadata, "config": {}}
    return {CONFIG: {"defaults": {}, "overrides": {}}, TABLE: table}


def command(marker: Path) -> list[str]:
    """Return a command that leaves a file behind."""
    return [sys.executable, "-c", f"open({str(marker)!r}, 'w')"]


def authentication(marker: Path) -> dict[str, Any]:
    """Return the configuration of an authentication manager that runs the command."""
    return {"type": "custom", "impl": "subprocess.Popen", "custom": {"args": command(marker)}}
