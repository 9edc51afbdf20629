"""HTTP to a catalog that may be hostile: no redirects, answers bounded in size and time."""

from typing import Any

from requests import PreparedRequest, RequestException, Response, Session

# The metadata of a table with 10,000 snapshots and their ledgers has some 20 MB.
LARGEST_ANSWER = 64 * 1024 * 1024
_SECONDS = 30.0
_CHUNK = 64 * 1024


class RedirectedError(RequestException):
    """A redirect could lead to an address that nobody has configured."""


class AnswerTooLargeError(RequestException):
    """More bytes than any table needs."""


class BoundedSession(Session):
    def get_redirect_target(self, resp: Response) -> None:
        """Follow none."""

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        kwargs["stream"] = True
        kwargs["timeout"] = kwargs.get("timeout") or _SECONDS
        with super().send(request, **kwargs) as response:
            if response.is_redirect:
                raise RedirectedError(f"{request.url} answers with a redirect")
            # Where requests itself keeps what it has read.
            response._content = _read(response)  # noqa: SLF001
        return response


def _read(response: Response) -> bytes:
    content = bytearray()
    # After decompression, which is done chunk by chunk.
    for chunk in response.iter_content(_CHUNK):
        content += chunk
        if len(content) > LARGEST_ANSWER:
            raise AnswerTooLargeError(f"{response.url} answers with more than {LARGEST_ANSWER} B")
    return bytes(content)
