"""JSON as Jackson writes it, for texts that Kafka Connect makes of JSON."""

import re
from json.encoder import encode_basestring
from typing import Any

from frazil.spark_sink.records.texts import double_text

_CONTROL = re.compile(r"[\x00-\x1f]")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def json_text(value: Any) -> str:
    """Write a JSON value without blanks, numbers as Java spells them."""
    kind = type(value)
    if kind is str:
        return _quoted(value)
    if kind is dict:
        members = [f"{_quoted(name)}:{json_text(item)}" for name, item in value.items()]
        return "{" + ",".join(members) + "}"
    if kind is list:
        return "[" + ",".join([json_text(item) for item in value]) + "]"
    if kind is float:
        return double_text(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    return str(value)


def _quoted(text: str) -> str:
    """Write a string; Jackson escapes by capital letters, and Python by small ones."""
    if not _CONTROL.search(text):
        return encode_basestring(text)
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_CONTROL.sub(_escape, plain)}"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _SHORT.get(character, f"\\u{ord(character):04X}")
