"""Texts that must not be said: found and hidden in whatever leaves the process."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote

MASK = "[hidden]"
# Shorter ones would blot out half of each line, and guessing them needs no log.
_SHORTEST = 6


class Hiding:
    """Call it with a text; what is to be hidden may be added at any time."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._spellings: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        self._spellings.update(
            spelling for text in secrets for spelling in _spellings(text) if _is_long(spelling)
        )
        # The longest first, or the rest of one that contains another would stay.
        longest_first = sorted(self._spellings, key=len, reverse=True)
        if longest_first:
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def __call__(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(MASK, text)


def _spellings(text: str) -> Iterator[str]:
    """Spell a text as logs, JSON, Python, URLs and HTTP do, and line by line as Java's logs do."""
    yield text
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield repr(text)[1:-1]
    yield quote(text, safe="")
    # As in `Authorization: Basic ...`; without its padding, which not everything writes.
    yield b64encode(text.encode(errors="surrogatepass")).decode().rstrip("=")
    yield from (line.strip() for line in text.splitlines())


def _is_long(text: str) -> bool:
    return len(text.strip()) >= _SHORTEST
