"""A worker without Spark: it holds the contract of a run folder and does what its config says.

Keys: `exit` (code to end with at once), `trace`, `mute` (no `/status`), `deaf` (ignores SIGTERM).
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
print("the stand-in starts", flush=True)  # noqa: T201 (this is the worker's log)
say(state="STARTING")
if "exit" in config:
    say(state="FAILED", exit_code=int(config["exit"]), trace=config.get("trace"))
    sys.exit(int(config["exit"]))
if "mute" not in config:
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=answer, args=[server], daemon=True).start()
    say(port=server.getsockname()[1])
say(state="RUNNING")
stopped.wait()
say(state="STOPPED", exit_code=0)
