"""A worker without Spark: it holds the contract of a run folder and does what its config says.

Keys: `exit` (code to end with at once), `trace`, `mute` (no `/status`), `deaf` (ignores SIGTERM).
"""

import json
import os
import signal
import sys
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

folder = Path(sys.argv[1])
assignment = json.loads((folder / "assignment.json").read_text())
config = assignment["config"]
stopped = threading.Event()
status = {
    "connector": assignment["connector"],
    "epoch": assignment["epoch"],
    "generation": assignment["generation"],
    "pid": os.getpid(),
    "port": 0,
    "since": datetime.now(UTC).isoformat(),
}


class Probe(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(status | {"commits": 7}).encode())

    def log_message(self, *_args: object) -> None:
        pass


def say(**changes: object) -> None:
    status.update(changes)
    draft = folder / "status.tmp"
    draft.write_text(json.dumps(status))
    draft.replace(folder / "status.json")


if "deaf" in config:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
else:
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
print("the stand-in starts", flush=True)  # noqa: T201 (this is the worker's log)
say(state="STARTING")
if "exit" in config:
    say(state="FAILED", exit_code=int(config["exit"]), trace=config.get("trace"))
    sys.exit(int(config["exit"]))
if "mute" not in config:
    server = HTTPServer(("127.0.0.1", 0), Probe)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say(port=server.server_address[1])
say(state="RUNNING")
stopped.wait()
say(state="STOPPED", exit_code=0)
