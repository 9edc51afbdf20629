"""How much is read of what a container has written."""

from collections.abc import Iterator

import pytest

from frazil.control_api.engine.docker import TooLargeError, _bounded


def test_what_a_container_has_written_is_read_up_to_a_bound() -> None:
    assert _bounded([b"ab", b"c"]) == b"abc"
    read = 0

    def without_end() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield bytes(1024 * 1024)

    with pytest.raises(TooLargeError):
        _bounded(without_end())
    assert read == 5
