"""A worker without Spark: it holds the contract of a run folder and does what its config says.

Keys: `exit` (code to end with at once), `trace`, `mute` (no `/status`), `deaf` (ignores SIGTERM),
`slow` (never runs), `says` (more lines for its log). On SIGUSR1 it takes all the memory there is.
Few imports, for many of it are started.
"""

import json
import os
import signal
import socket
import sys
import threading
import time

folder = sys.argv[1]
with open(f"{folder}/assignment.json") as file:  # noqa: PTH123 (pathlib takes its time to load)
    assignment = json.load(file)
config = assignment["config"]
stopped = threading.Event()
status = {
    "connector": assignment["connector"],
    "epoch": assignment["epoch"],
    "generation": assignment["generation"],
    "pid": os.getpid(),
    "port": 0,
    "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
}


def say(**changes: object) -> None:
    status.update(changes)
    with open(f"{folder}/status.tmp", "w") as file:  # noqa: PTH123
        json.dump(status, file)
    os.replace(f"{folder}/status.tmp", f"{folder}/status.json")  # noqa: PTH105


def log(text: str) -> None:
    print(text, flush=True)  # noqa: T201 (this is the worker's log)


def answer(server: socket.socket) -> None:
    while True:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            body = json.dumps(status | {"commits": 7})
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            connection.sendall((head + body).encode())


if "deaf" in config:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
else:
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
signal.signal(signal.SIGUSR1, lambda *_: bytearray(b"x" * 2**30))
log(f"worker {assignment['epoch']} starts")
if "says" in config:
    log(config["says"])
say(state="STARTING")
if "exit" in config:
    say(state="FAILED", exit_code=int(config["exit"]), trace=config.get("trace"))
    sys.exit(int(config["exit"]))
if "mute" not in config:
    host, port = os.environ.get("FRAZIL_PROBE_HOST"), os.environ.get("FRAZIL_PROBE_PORT")  # noqa: TID251
    server = socket.create_server((host or "127.0.0.1", int(port or 0)))
    threading.Thread(target=answer, args=[server], daemon=True).start()
    say(port=server.getsockname()[1])
if "slow" not in config:
    say(state="RUNNING")
stopped.wait()
log(f"worker {assignment['epoch']} ends")
say(state="STOPPED", exit_code=0)
