"""One HTTP connection, byte by byte: offers of other protocols, bounds on what clients send."""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar
from urllib.parse import urlsplit

import pytest
from starlette.types import Message, Receive, Scope, Send
from tests.support.served import served

from frazil.runtime.http_protocol import BoundedHttpProtocol, Bounds

OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n"
BODY = b'{"connector.class":"FileStreamSource"}'
PUT = b"PUT /connectors/x/config HTTP/1.1\r\nHost: localhost\r\n"
SIZED = PUT + OFFER + b"Content-Length: %d\r\n\r\n" % len(BODY)
CHUNKED = PUT + OFFER + b"Transfer-Encoding: chunked\r\n\r\n"
GET = b"GET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SECONDS = 15.0


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with what arrived."""
    if scope["type"] != "http":
        raise NotImplementedError
    parts: list[bytes] = []
    while True:
        message: Message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            break
    body = b"".join(parts)
    seen = {
        "method": scope["method"],
        "path": scope["path"],
        "body": body.decode() if len(body) < 1000 else len(body),
        "headers": sorted(name.decode() for name, _ in scope["headers"]),
    }
    answer = json.dumps(seen).encode()
    headers = [(b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


class Hasty(BoundedHttpProtocol):
    bounds: ClassVar[Bounds] = Bounds(head_seconds=0.2, body_seconds=0.2, rest_seconds=0.2)


class Small(BoundedHttpProtocol):
    bounds: ClassVar[Bounds] = Bounds(connections=3)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(echo) as url:
        yield url


@pytest.fixture(scope="module")
def hasty() -> Iterator[str]:
    with served(echo, Hasty) as url:
        yield url


@pytest.fixture(scope="module")
def small() -> Iterator[str]:
    with served(echo, Small) as url:
        yield url


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    place = urlsplit(url)
    assert place.port is not None
    with socket.create_connection(("127.0.0.1", place.port), timeout=SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def read_all(connection: socket.socket) -> bytes:
    """Read until the server has ended the connection, which may be by a reset."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def left_after(url: str, sent: bytes) -> bytes:
    """Send this and no more; on a busy machine the server may have left before, without a word."""
    for _ in range(20):
        with connected(url) as connection, suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(sent)
            if received := read_all(connection):
                return received
    raise AssertionError("the server never answers")


def answers(received: bytes) -> list[dict[str, object]]:
    """Take apart answers that follow each other, each with its length."""
    found = []
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        found.append(json.loads(rest[:length]))
        received = rest[length:]
    return found


class TestAnOfferToChangeTheProtocol:
    @pytest.mark.parametrize("cuts", [0, 1, 2], ids=["one packet", "two packets", "byte by byte"])
    @pytest.mark.parametrize(
        ("head", "body"),
        [(SIZED, BODY), (CHUNKED, b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY))],
        ids=["sized", "chunked"],
    )
    def test_is_ignored_and_the_body_arrives_as_do_the_requests_behind_it(
        self, url: str, head: bytes, body: bytes, cuts: int
    ) -> None:
        everything = head + body + head + body + GET
        packets = {
            0: [everything],
            1: [head, body, head, body + GET],
            2: [bytes([one]) for one in everything],
        }[cuts]
        with connected(url) as connection:
            for packet in packets:
                connection.sendall(packet)
            found = answers(read_all(connection))
        assert [(one["method"], one["path"], one["body"]) for one in found] == [
            ("PUT", "/connectors/x/config", BODY.decode()),
            ("PUT", "/connectors/x/config", BODY.decode()),
            ("GET", "/next", ""),
        ]

    def test_without_a_body_leaves_the_connection_open_for_the_next_request(self, url: str) -> None:
        with connected(url) as connection:
            connection.sendall(b"GET /first HTTP/1.1\r\nHost: x\r\n" + OFFER + b"\r\n" + GET)
            found = answers(read_all(connection))
        assert [one["path"] for one in found] == ["/first", "/next"]

    def test_a_large_body_arrives_whole(self, url: str) -> None:
        body = b"x" * 1_000_000
        head = PUT + OFFER + b"Content-Length: %d\r\n\r\n" % len(body)
        with connected(url) as connection:
            connection.sendall(head + body + GET)
            found = answers(read_all(connection))
        assert [one["body"] for one in found] == [len(body), ""]

    def test_all_other_headers_arrive(self, url: str) -> None:
        with connected(url) as connection:
            connection.sendall(SIZED + BODY + GET)
            first, _ = answers(read_all(connection))
        assert first["headers"] == ["connection", "content-length", "host", "http2-settings"]

    def test_of_a_proxy_kind_is_refused(self, url: str) -> None:
        with connected(url) as connection:
            connection.sendall(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n")
            assert read_all(connection).startswith(b"HTTP/1.1 400 ")

    def test_curl_that_offers_http_2_is_answered(self, url: str) -> None:
        curl = shutil.which("curl")
        if curl is None:
            pytest.skip("curl is not on this machine")
        features = subprocess.run([curl, "--version"], capture_output=True, text=True, check=True)
        if "HTTP2" not in features.stdout:
            pytest.skip("this curl does not know HTTP/2")
        command = [curl, "-sS", "--noproxy", "*", "--http2", "-X", "PUT", "-d", BODY.decode()]
        # The second call takes the same connection.
        command += [f"{url}/one", "-o", "-", "--next", *command[1:], f"{url}/two"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
        both = json.loads(f"[{done.stdout.replace('}{', '},{')}]")
        assert [(one["path"], one["body"]) for one in both] == [
            ("/one", BODY.decode()),
            ("/two", BODY.decode()),
        ]


class TestHeaders:
    def flood(self, url: str, start: bytes, piece: bytes) -> bytes:
        """Send far more than the bound, as long as the server takes it."""
        with connected(url) as connection:
            try:
                connection.sendall(start)
                for _ in range(60):
                    connection.sendall(piece)
            except (BrokenPipeError, ConnectionResetError):
                pass
            else:
                pytest.fail("the server took all of it")
            return read_all(connection)

    @pytest.mark.parametrize(
        ("start", "piece"),
        [
            (b"GET / HTTP/1.1\r\nX-Long: ", b"x" * 1_000_000),
            (b"GET / HTTP/1.1\r\n", b"X-Many: y\r\n" * 100_000),
            (b"GET /", b"x" * 1_000_000),
            (CHUNKED + b"0\r\nX-Trailer: ", b"x" * 1_000_000),
            (CHUNKED + b"0\r\n", b"X-Trailer: y\r\n" * 100_000),
        ],
        ids=["one header", "many headers", "the target", "one trailer", "many trailers"],
    )
    def test_without_end_end_the_connection(self, url: str, start: bytes, piece: bytes) -> None:
        received = self.flood(url, start, piece)
        # A client that writes on may lose the answer to the reset of its connection.
        assert received == b"" or received.startswith(b"HTTP/1.1 431 ")

    @pytest.mark.parametrize("size", [65_000, 66_000])
    def test_may_have_64_kib_whatever_body_comes_along(self, url: str, size: int) -> None:
        body = b"y" * 100_000
        head = b"PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: %b\r\n" % (b"x" * size)
        with connected(url) as connection:
            connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            received = read_all(connection)
        expected = b"HTTP/1.1 200 " if size < 65_536 else b"HTTP/1.1 431 "
        assert received.startswith(expected) or (size > 65_536 and not received)

    def test_that_are_too_large_are_answered_with_the_bound(self, url: str) -> None:
        with connected(url) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nX-Long: %b\r\n\r\n" % (b"x" * 66_000))
            received = read_all(connection)
        assert received.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
        assert received.endswith(b"\r\n\r\nThe headers of a request may have 65536 bytes together.")


class TestSlowClients:
    def test_that_send_nothing_are_left(self, hasty: str) -> None:
        with connected(hasty) as connection:
            assert read_all(connection) == b""

    @pytest.mark.parametrize(
        "sent",
        [
            b"G",
            b"GET / HT",
            b"GET / HTTP/1.1\r\nHost: x\r\n",
            SIZED + BODY[:-1],
            CHUNKED + b"5\r\nab",
        ],
    )
    def test_that_stop_within_a_request_are_answered_and_left(
        self, hasty: str, sent: bytes
    ) -> None:
        received = left_after(hasty, sent)
        assert received.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert received.endswith(b"The request did not arrive in time.")

    def test_that_stop_within_a_second_request_are_left_too(self, hasty: str) -> None:
        received = left_after(hasty, b"GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /se")
        assert received.startswith(b"HTTP/1.1 200 ")
        assert received.count(b"HTTP/1.1 408 ") == 1


def test_more_connections_than_the_bound_are_refused_until_one_ends(small: str) -> None:
    with connected(small) as one, connected(small) as two, connected(small) as three:
        for each in (one, two, three):
            each.sendall(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
            assert each.recv(1000).startswith(b"HTTP/1.1 200 ")
        with connected(small) as fourth:
            received = read_all(fourth)
        assert received.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"\r\nretry-after: 1\r\n" in received
    for _ in range(100):
        with connected(small) as later:
            later.sendall(GET)
            if read_all(later).startswith(b"HTTP/1.1 200 "):
                return
    pytest.fail("nobody is let in although all have left")
