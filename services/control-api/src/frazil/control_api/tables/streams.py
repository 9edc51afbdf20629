"""Reads what somebody else says to its end, within a bound."""

from asyncio import StreamReader

# The schemas and ledgers of 10,000 snapshots have some 20 MB.
LARGEST = 32 * 1024 * 1024
_CHUNK = 64 * 1024


class TooLargeError(ValueError):
    """More than what means well has to say."""


async def read_to_end(stream: StreamReader) -> bytes:
    content = bytearray()
    while chunk := await stream.read(_CHUNK):
        content += chunk
        if len(content) > LARGEST:
            raise TooLargeError(f"more than {LARGEST} bytes")
    return bytes(content)


async def read_tail(stream: StreamReader, most: int) -> bytes:
    """Read to the end as well, and keep what comes last, where a trace says why."""
    content = b""
    while chunk := await stream.read(_CHUNK):
        content = (content + chunk)[-most:]
    return content
