"""Taking a port, and what is said when it cannot be had; the end of a server by a signal."""

import signal
import socket
from collections.abc import Iterator
from types import FrameType

import pytest

from frazil.runtime.serving import CannotListenError, listen, serve


@pytest.fixture
def deadly_signals() -> Iterator[None]:
    """Signals that nobody takes care of fail the test, instead of ending all tests."""

    def die(number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"died by {signal.Signals(number).name}")

    before = {name: signal.signal(name, die) for name in (signal.SIGTERM, signal.SIGINT)}
    yield
    for name, handler in before.items():
        signal.signal(name, handler)


def test_a_free_port_is_taken_and_connections_wait_there() -> None:
    with (
        listen("127.0.0.1", 0, who="A test") as listener,
        socket.create_connection(listener.getsockname()),
    ):
        listener.accept()[0].close()


def test_an_address_of_the_sixth_version_is_one_too() -> None:
    try:
        listener = listen("::1", 0, who="A test")
    except CannotListenError as error:
        pytest.skip(str(error))
    with listener:
        assert listener.family == socket.AF_INET6


def test_asyncio_knows_the_listener_for_tcp_and_turns_nagles_algorithm_off() -> None:
    with listen("127.0.0.1", 0, who="A test") as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_taken_port_is_a_sentence_that_says_who_and_what_to_do() -> None:
    with listen("127.0.0.1", 0, who="A test") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListenError) as caught:
            listen("127.0.0.1", port, who="A test")
    assert str(caught.value) == (
        f"A test cannot listen on 127.0.0.1:{port}: Address already in use. "
        "FRAZIL_PORT names another port."
    )


@pytest.mark.usefixtures("deadly_signals")
@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_repeats_the_signal_after_its_end_does_not_die_by_it(
    name: signal.Signals,
) -> None:
    ended = []

    async def server() -> None:
        signal.raise_signal(name)
        ended.append(name)

    serve(server())
    assert ended == [name]
