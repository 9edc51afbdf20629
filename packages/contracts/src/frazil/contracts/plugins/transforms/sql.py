"""The statement of `frazil.transforms.Sql`, taken apart as far as that goes without Spark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from frazil.contracts.validators import Value, invalid

_SHAPE = "It has to be `SELECT ... FROM record`, with a WHERE if you like"
# Texts and quoted names first, so that no word inside them counts.
_TOKEN = re.compile(
    r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`|--[^\n]*|/\*.*?\*/|\w+|\s+|.",
    re.DOTALL,
)
_CLAUSES = ("group", "having", "order", "sort", "cluster", "distribute", "limit", "offset",
            "window", "union", "except", "intersect", "minus", "join", "lateral")  # fmt: skip
# Hints for those who write a statement: what it may do is decided on Spark's plan of it.
_READING = frozenset(("from", "table", "values"))
_REACHING = frozenset(("reflect", "java_method", "try_reflect", "input_file_name"))
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


class BadStatementError(ValueError):
    """Says in a sentence what is wrong with a statement."""


@dataclass(frozen=True)
class Statement:
    """The expressions between SELECT and FROM, and what is behind WHERE, if anything is.

    A star inside of an expression is spelled `record.*`; one that stands alone stays as it is.
    """

    columns: tuple[str, ...]
    where: str | None


@dataclass(frozen=True)
class _Word:
    text: str
    start: int
    end: int
    depth: int


def parse_statement(text: str) -> Statement:
    words = list(_words(text))
    top = [word for word in words if word.depth == 0]
    if not top or top[0].text != "select":
        raise BadStatementError(f"{_SHAPE}; it does not begin with SELECT")
    _refuse(words, top)
    source = next((at for at, word in enumerate(top) if word.text == "from"), None)
    if source is None or source + 1 >= len(top) or top[source + 1].text != "record":
        raise BadStatementError(f"{_SHAPE}; it reads something else")
    columns = tuple(_columns(text, words, top[: source + 1]))
    if not all(columns):
        raise BadStatementError(f"{_SHAPE}; it selects nothing")
    rest = top[source + 2 :]
    if not rest:
        return Statement(columns, None)
    if rest[0].text != "where" or len(rest) < 2:
        raise BadStatementError(f"{_SHAPE}; {rest[0].text.upper()} is not understood")
    return Statement(columns, _spelled(text, words, rest[0].end, rest[-1].end))


def _columns(text: str, words: list[_Word], top: list[_Word]) -> Iterator[str]:
    """Split what stands between the first word and the last one at its commas."""
    start = top[0].end
    for word in top[1:]:
        if word.text == "," or word is top[-1]:
            yield _spelled(text, words, start, word.start)
            start = word.end


def _spelled(text: str, words: list[_Word], start: int, end: int) -> str:
    """Cut out an expression, and say of each star in it that it is of `record`."""
    stars = [second.start for first, second in pairwise(words)
             if second.text == "*" and first.text in ("select", "(", ",")]  # fmt: skip
    part = text[start:end].strip()
    if part == "*":
        return part
    cuts = [start, *(at for at in stars if start <= at < end), end]
    return "record.".join(text[first:last] for first, last in pairwise(cuts)).strip()


def _refuse(words: list[_Word], top: list[_Word]) -> None:
    if sum(word.text == "select" for word in words) > 1:
        raise BadStatementError(f"{_SHAPE}; it may not contain a second SELECT")
    for first, second in pairwise(words):
        if first.text == "(" and second.text in _READING:
            raise BadStatementError(f"{_SHAPE}; it may not read another table")
        if second.text == "(" and first.text in _REACHING:
            raise BadStatementError(f"{_SHAPE}; it may not call {first.text}")
    if any(word.text == ";" for word in top):
        raise BadStatementError(f"{_SHAPE}; one statement only, without a semicolon")
    source = next((at for at, word in enumerate(top) if word.text == "from"), len(top))
    clause = next((word.text for word in top[source:] if word.text in _CLAUSES), None)
    if clause or (top[1:2] and top[1].text == "distinct"):
        name = (clause or "distinct").upper()
        raise BadStatementError(f"{_SHAPE}; {name} would need more than one record")


def _words(text: str) -> Iterator[_Word]:
    depth = 0
    for found in _TOKEN.finditer(text):
        piece = found.group().lower()
        if piece.isspace() or piece.startswith(("--", "/*")):
            continue
        if piece in _CLOSING:
            depth -= 1
        if depth < 0:
            raise BadStatementError(f"{_SHAPE}; a bracket closes that was not opened")
        yield _Word(piece, found.start(), found.end(), depth)
        depth += piece in _OPENING
    if depth:
        raise BadStatementError(f"{_SHAPE}; a bracket is not closed")


def valid_statement(name: str, value: Value) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        parse_statement(value)
    except BadStatementError as error:
        return invalid(name, value, str(error))
    return None
