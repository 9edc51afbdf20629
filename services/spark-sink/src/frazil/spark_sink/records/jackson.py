"""JSON as Jackson writes it, for texts that Kafka Connect makes of JSON."""

from typing import Any

from frazil.spark_sink.records.texts import double_text

_ESCAPES = {code: f"\\u{code:04X}" for code in range(0x20)} | {
    ord('"'): '\\"',
    ord("\\"): "\\\\",
    ord("\b"): "\\b",
    ord("\t"): "\\t",
    ord("\n"): "\\n",
    ord("\f"): "\\f",
    ord("\r"): "\\r",
}


def json_text(value: Any) -> str:
    """Write a JSON value without blanks, numbers as Java spells them."""
    if isinstance(value, str):
        return f'"{value.translate(_ESCAPES)}"'
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, list):
        return f"[{','.join(map(json_text, value))}]"
    if isinstance(value, dict):
        members = (f"{json_text(name)}:{json_text(item)}" for name, item in value.items())
        return f"{{{','.join(members)}}}"
    return str(value)
