"""Reads what somebody else says to its end, within a bound."""

from asyncio import StreamReader

# The schemas and ledgers of 10,000 snapshots have some 20 MB.
_LARGEST = 64 * 1024 * 1024
_CHUNK = 64 * 1024


class TooLargeError(ValueError):
    """More than what means well has to say."""


async def read_to_end(stream: StreamReader, most: int = _LARGEST) -> bytes:
    content = bytearray()
    while chunk := await stream.read(_CHUNK):
        content += chunk
        if len(content) > most:
            raise TooLargeError(f"more than {most} bytes")
    return bytes(content)
