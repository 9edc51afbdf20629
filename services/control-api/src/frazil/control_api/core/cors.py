"""Cross-origin requests, with the meaning of Kafka Connect's `access.control.*` settings."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_DEFAULT_METHODS = "HEAD,GET,POST"
_MAX_AGE = "60"
# Its dots are dots; as a pattern it would let in whoever registers a name like it.
_PLAIN_ORIGIN = re.compile(r"[A-Za-z]+://([\w.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cors:
    """`origins` are `*`, origins or patterns of them between commas; none: nothing is allowed."""

    origins: str = ""
    methods: str = ""

    def headers(self, method: str, request: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield headers of the answer to a request, whose names are in lower case."""
        if not self.origins:
            return
        # Also where none is sent: a cache must not give one origin's answer to another.
        yield "Vary", "Origin"
        origin = request.get("origin")
        if origin is None or not self.allows(origin):
            return
        yield "Access-Control-Allow-Origin", origin
        if method == "OPTIONS" and "access-control-request-method" in request:
            yield "Access-Control-Allow-Methods", self.methods or _DEFAULT_METHODS
            yield "Access-Control-Allow-Headers", "Content-Type"
            yield "Access-Control-Max-Age", _MAX_AGE

    def allows(self, origin: str) -> bool:
        allowed = [one.strip() for one in self.origins.split(",")]
        return any(one in ("*", origin) or _matches(one, origin) for one in allowed)


def _matches(pattern: str, origin: str) -> bool:
    if _PLAIN_ORIGIN.fullmatch(pattern):
        return False
    try:
        return re.fullmatch(pattern, origin) is not None
    except re.error:
        return False
