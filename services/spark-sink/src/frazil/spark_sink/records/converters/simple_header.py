"""Convert headers as SimpleHeaderConverter does: text whose form says what it is.

The rules are those of Connect's `Values.parseString`. `null`, booleans, numbers, dates and times,
lists in `[]` and maps in `{}` are recognised; anything else is a text.
"""

import re
from typing import Any

from frazil.spark_sink.records.converters.simple_values import (
    NULL,
    STRING,
    Parsed,
    common_schema,
    number_of,
    temporal_of,
    widened,
)
from frazil.spark_sink.records.model import Header, Kind, Schema

_TRUE: Parsed = (True, Schema(Kind.BOOLEAN))
_FALSE: Parsed = (False, Schema(Kind.BOOLEAN))
_BYTES = Schema(Kind.BYTES)
_LITERALS: dict[str, Parsed] = {"null": NULL, "true": _TRUE, "false": _FALSE}
# A delimiter, or what stands between two of them; a backslash escapes a delimiter.
_TOKEN = re.compile(r'[:,{}\[\]"]|(?:\\(?:.|\Z)|[^:,{}\[\]"\\])+', re.DOTALL)
# Most headers: a text without any delimiter.
_SINGLE = re.compile(r'[^:,{}\[\]"\\]*')
# What Java's `trim` removes.
_BLANKS = "".join(map(chr, range(33)))


class _NoValueError(Exception):
    """The tokens spell no list or map, so that the whole is a text."""


def simple_header(name: str, value: bytes | None) -> Header:
    """Convert a header; keep the bytes of a value that is nested too deeply."""
    if value is None:
        return Header(name, None, None)
    try:
        return Header(name, *parse_text(value.decode("utf-8", "replace")))
    except RecursionError:
        return Header(name, value, _BYTES)


def parse_text(text: str) -> Parsed:
    """Read the value that a text spells."""
    if _SINGLE.fullmatch(text):
        return _single(text)
    tokens = _Tokens(_TOKEN.findall(text))
    try:
        parsed = _value(tokens)
    except _NoValueError:
        return text, STRING
    # Connect drops what follows a number, a list or a map.
    return (text, STRING) if tokens.has_words() else parsed


def _single(text: str) -> Parsed:
    word = text.strip(_BLANKS)
    if word in _LITERALS:
        return _LITERALS[word]
    if not word or word[0].isalpha():
        return text, STRING
    return temporal_of(word) or number_of(word) or (text, STRING)


class _Tokens:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0

    def left(self) -> bool:
        return self._position < len(self._tokens)

    def has_words(self) -> bool:
        return any(token.strip(_BLANKS) for token in self._tokens[self._position :])

    def take(self) -> str:
        if not self.left():
            raise _NoValueError
        token = self._tokens[self._position]
        self._position += 1
        return token

    def take_if(self, wanted: str) -> bool:
        """Take the next token that is not blank if it is the wanted; drop blank tokens."""
        while self._position + 1 < len(self._tokens) and not self._peek():
            self._position += 1
        if self.left() and self._peek() == wanted:
            self._position += 1
            return True
        return False

    def take_literal(self) -> Parsed | None:
        for word, parsed in _LITERALS.items():
            if self.take_if(word):
                return parsed
        return None

    def take_temporal(self, token: str) -> Parsed | None:
        """Read a time, whose colons are tokens of their own, or a date."""
        rest = self._tokens[self._position : self._position + 4]
        if len(rest) == 4:
            parsed = temporal_of(token + "".join(rest))
            if parsed is not None:
                self._position += 4
                return parsed
        return temporal_of(token)

    def _peek(self) -> str:
        return self._tokens[self._position].strip(_BLANKS)


def _value(tokens: _Tokens, *, embedded: bool = False) -> Parsed:
    if not tokens.left():
        return ("", STRING) if not embedded else NULL
    if embedded and tokens.take_if('"'):
        return _quoted(tokens)
    literal = tokens.take_literal()
    if literal is not None:
        return literal
    if tokens.take_if("["):
        return _list(tokens)
    if tokens.take_if("{"):
        return _map(tokens)
    token = tokens.take()
    word = token.strip(_BLANKS)
    return _word(tokens, word) if word else (token, STRING)


def _word(tokens: _Tokens, word: str) -> Parsed:
    parsed = tokens.take_temporal(word) if word[0].isdecimal() else None
    parsed = parsed or number_of(word)
    if parsed is None:
        raise _NoValueError
    return parsed


def _quoted(tokens: _Tokens) -> Parsed:
    parts = []
    while tokens.left() and not tokens.take_if('"'):
        parts.append(tokens.take())
    text = "".join(parts)
    return temporal_of(text) or (text, STRING)


def _list(tokens: _Tokens) -> Parsed:
    items: list[Parsed] = []
    while not tokens.take_if("]"):
        if tokens.take_if(","):
            raise _NoValueError
        items.append(_value(tokens, embedded=True))
        if not tokens.take_if(","):
            if not tokens.take_if("]"):
                raise _NoValueError
            break
    element = common_schema([schema for _, schema in items])
    return _aligned([value for value, _ in items], element), Schema(Kind.ARRAY, element=element)


def _map(tokens: _Tokens) -> Parsed:
    keys: list[Parsed] = []
    values: list[Parsed] = []
    while not tokens.take_if("}"):
        if tokens.take_if(","):
            raise _NoValueError
        keys.append(_value(tokens, embedded=True))
        if keys[-1][0] is None or not tokens.take_if(":"):
            raise _NoValueError
        values.append(_value(tokens, embedded=True))
        tokens.take_if(",")
    key = common_schema([schema for _, schema in keys])
    element = key and common_schema([schema for _, schema in values])
    names = _aligned([value for value, _ in keys], key)
    items = _aligned([value for value, _ in values], element)
    try:
        return dict(zip(names, items, strict=True)), Schema(Kind.MAP, key=key, element=element)
    except TypeError:  # a list or a map as a key
        raise _NoValueError from None


def _aligned(values: list[Any], schema: Schema | None) -> list[Any]:
    """Make all values those of their common schema, which none may lack then."""
    if schema is None:
        return values
    if None in values:
        raise _NoValueError
    return [widened(value, schema) for value in values]
