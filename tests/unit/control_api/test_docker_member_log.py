"""The lines of one member among those of many, each once."""

import json

from frazil.control_api.engine.docker import Daemon
from frazil.control_api.engine.docker_member_log import MemberLog, member_lines


class Written(Daemon):
    """A log that grows, of which more is answered than was asked for, as a daemon does."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.asked: list[float | None] = []

    def write(self, second: int, said: str, connector: str | None = "logs") -> None:
        line = said if connector is None else json.dumps({"connector": connector, "event": said})
        self.lines.append(f"2026-01-01T00:00:{second:02}.000000001Z {line}".encode())

    async def stamped_log(self, container: str, *, since: float | None, lines: int) -> bytes:
        assert container == "abc"
        self.asked.append(since)
        return b"\n".join(self.lines[-lines:])


def log_of(daemon: Daemon) -> MemberLog:
    return MemberLog(daemon, "abc", "logs", 1)


async def nobody() -> bool:
    return False


async def test_lines_of_others_are_left_out_and_those_of_nobody_are_not() -> None:
    daemon = Written()
    daemon.write(1, "mine")
    daemon.write(2, "theirs", "other")
    daemon.write(3, "the JVM says", None)
    found = [
        line async for line in member_lines(log_of(daemon), tail=9, follow=False, is_alive=nobody)
    ]
    assert found == ['{"connector": "logs", "event": "mine"}', "the JVM says"]
    found = [
        line async for line in member_lines(log_of(daemon), tail=1, follow=False, is_alive=nobody)
    ]
    assert found == ["the JVM says"]


async def test_what_was_read_once_is_not_read_again() -> None:
    daemon = Written()
    log = log_of(daemon)
    assert await log.more() == []
    daemon.write(1, "one", None)
    assert await log.more() == [b"one"]
    daemon.write(2, "two", None)
    assert await log.more() == [b"two"]
    assert await log.more() == []
    assert daemon.asked[:2] == [None, None]
    assert daemon.asked[2] is not None
    assert daemon.asked[2] < 1767225601.0
