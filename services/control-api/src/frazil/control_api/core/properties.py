"""Java's format of properties, as its own tools read it."""

import re
from collections.abc import Iterator

# A key ends at the first blank, `=` or `:` that no backslash stands before.
_ENTRY = re.compile(r"((?:\\.|[^\\=:\s])*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_MEANING = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_properties(text: str) -> dict[str, str]:
    """Read entries; lines that begin with # or ! are comments, a backslash at the end goes on."""
    entries = (_ENTRY.fullmatch(line) for line in _logical_lines(text))
    return {_unescape(entry[1]): _unescape(entry[2]) for entry in entries if entry}


def _logical_lines(text: str) -> Iterator[str]:
    begun = ""
    for raw in re.split(r"\r\n|\r|\n", text):
        line = raw.lstrip(" \t\f")
        if not begun and (not line or line[0] in "#!"):
            continue
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2:
            begun += line[:-1]
        else:
            yield begun + line
            begun = ""
    if begun:
        yield begun


def _unescape(text: str) -> str:
    def meaning(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        return _MEANING.get(found[2], found[2])

    return _ESCAPE.sub(meaning, text)
