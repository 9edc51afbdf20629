"""A port that nobody listens at."""

import random
import socket

# Below those that systems give to clients, one of which might take it before its server does.
_RANGE = range(20_000, 32_000)


def free_port() -> int:
    while True:
        port = random.SystemRandom().choice(_RANGE)
        with socket.socket() as server:
            try:
                server.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
