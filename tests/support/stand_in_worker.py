"""A worker without Spark: it holds the contract of a run folder and does what its config says.

Keys: `exit` (code to end with at once), `trace`, `mute` (no `/status`), `deaf` (ignores a stop),
`slow` (never runs), `says` (more lines for its log), `immortal` (as a member: ignores a kill too).
On SIGUSR1 it takes all the memory there is. In a folder with `hosting.json` it is a host, that is
to say many such workers. Few imports, for many of it are started.
"""

import fcntl
import json
import os
import signal
import socket
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

home = sys.argv[1]
stopped = threading.Event()
workers: "list[Worker]" = []


def read(path: str) -> dict:  # type: ignore[type-arg]  # whatever JSON there is
    with open(path) as file:  # noqa: PTH123 (pathlib takes its time to load)
        found: dict = json.load(file)  # type: ignore[type-arg]
    return found


class Worker:
    def __init__(self, folder: str, port: int = 0, *, is_member: bool = False) -> None:
        self.folder = folder
        self.is_member = is_member
        assignment = read(f"{folder}/assignment.json")
        self.config = assignment["config"]
        self.status = {name: assignment[name] for name in ("connector", "epoch", "generation")} | {
            "pid": os.getpid(),
            "port": port,
            "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }

    def begin(self) -> None:
        self.log(f"worker {self.status['epoch']} starts")
        for line in filter(None, self.config.get("says", "").split("\n")):
            self.log(line)
        self.say(state="STARTING")
        if "exit" in self.config:
            exits_with, trace = int(self.config["exit"]), self.config.get("trace")
            self.say(state="FAILED", exit_code=exits_with, trace=trace)
        elif "slow" not in self.config:
            self.say(state="RUNNING")

    def end(self) -> None:
        self.log(f"worker {self.status['epoch']} ends")
        self.say(state="STOPPED", exit_code=0)

    def say(self, **changes: object) -> None:
        self.status.update(changes)
        with open(f"{self.folder}/status.tmp", "w") as file:  # noqa: PTH123
            json.dump(self.status, file)
        os.replace(f"{self.folder}/status.tmp", f"{self.folder}/status.json")  # noqa: PTH105

    def log(self, text: str) -> None:
        whose = {name: self.status[name] for name in ("connector", "epoch")}
        line = json.dumps(whose | {"event": text}) if self.is_member else text
        print(line, flush=True)  # noqa: T201 (this is the worker's log)

    @property
    def has_ended(self) -> bool:
        return "exit_code" in self.status

    def look(self) -> None:
        """Do as a file in the run folder asks."""
        asked = os.listdir(self.folder)  # noqa: PTH208
        is_killed = "kill" in asked and "immortal" not in self.config
        if is_killed or ("stop" in asked and "deaf" not in self.config):
            self.end()


def answer(server: socket.socket) -> None:
    while True:
        connection, _ = server.accept()
        with connection:
            path = connection.recv(4096).split()[1].decode()
            body = json.dumps(answered(path))
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            connection.sendall((head + body).encode())


def answered(path: str) -> object:
    living = [one for one in workers if not one.has_ended or not one.is_member]
    if path == "/members":
        return {one.status["connector"]: one.status["state"] for one in living}
    asked = unquoted(path.partition("connector=")[2])
    found = [one.status for one in living if one.status["connector"] == asked]
    return found[-1] | {"commits": 7} if found else {}


def unquoted(text: str) -> str:
    parts = text.replace("+", " ").encode().split(b"%")
    return b"".join(
        [parts[0], *(bytes.fromhex(p[:2].decode()) + p[2:] for p in parts[1:])]
    ).decode()


def serve() -> int:
    host, wanted = os.environ.get("FRAZIL_PROBE_HOST"), os.environ.get("FRAZIL_PROBE_PORT")  # noqa: TID251
    server = socket.create_server((host or "127.0.0.1", int(wanted or 0)))
    threading.Thread(target=answer, args=[server], daemon=True).start()
    return int(server.getsockname()[1])


def run_alone() -> int:
    worker = Worker(home)
    if "mute" not in worker.config and "exit" not in worker.config:
        worker.status["port"] = serve()
    if "deaf" in worker.config:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    workers.append(worker)
    worker.begin()
    if not worker.has_ended:
        stopped.wait()
        worker.end()
    return int(worker.status["exit_code"])


def run_host() -> int:
    """Take members up until told to end, or until the only one of a host that waits has ended."""
    port = serve()
    is_alone = read(f"{home}/hosting.json").get("group") is None
    had = {}
    while not stopped.wait(0.02):
        for link in os.listdir(f"{home}/members"):  # noqa: PTH208
            folder = os.path.realpath(f"{home}/members/{link}")
            if folder not in had and not os.path.exists(f"{folder}/status.json"):  # noqa: PTH110
                had[folder] = begin_member(folder, port)
        for worker, lock in had.values():
            if not worker.has_ended:
                worker.look()
            if worker.has_ended:
                lock.close()
        if is_alone and had and all(worker.has_ended for worker, _ in had.values()):
            return 0
    for worker, _ in had.values():
        if not worker.has_ended:
            worker.end()
    return 0


def begin_member(folder: str, port: int) -> "tuple[Worker, IO[str]]":
    lock = open(f"{folder}/lock", "w")  # noqa: PTH123, SIM115
    fcntl.flock(lock, fcntl.LOCK_EX)
    worker = Worker(folder, port, is_member=True)
    worker.begin()
    workers.append(worker)
    return worker, lock


signal.signal(signal.SIGTERM, lambda *_: stopped.set())
signal.signal(signal.SIGUSR1, lambda *_: bytearray(b"x" * 2**30))
sys.exit(run_host() if os.path.exists(f"{home}/hosting.json") else run_alone())  # noqa: PTH110
