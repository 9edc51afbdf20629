"""Does a record fit its declared table? The rules a sink goes by, for tests of whoever writes."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parents[2] / "schemas" / "tables"
# Newer audit records carry what the declared table does not know yet: schema evolution's work.
NEWER = {"auditlogs": {"message", "metadata"}}
# Rendered to text by the sink, whatever they hold.
RENDERED = {"details", "requestClaims"}

_RFC3339 = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_LIMITS = {"int": 2**31, "long": 2**63}


def declared(table: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((TABLES / f"{table}.json").read_text())
    return loaded


def parse_time(text: str) -> datetime:
    """Read an RFC 3339 time; digits beyond microseconds are cut, as the tables do."""
    match = _RFC3339.fullmatch(text)
    assert match, f"not an RFC 3339 time: {text}"
    second, fraction, zone = match.groups()
    return datetime.fromisoformat(second + (fraction or ".0")[:7].ljust(7, "0") + zone)


def misfits(table: str, record: dict[str, Any]) -> list[str]:
    """Name all that would not fit; empty for a record that does."""
    known = NEWER.get(table, set())
    fields = {name: value for name, value in record.items() if name not in known}
    return _struct(declared(table)["schema"], fields, table)


def _struct(schema: dict[str, Any], value: Any, path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path} is no object"]
    fields = {field["name"]: field for field in schema["fields"]}
    found = [f"{path}.{name} is not declared" for name in value if name not in fields]
    for name, field in fields.items():
        if name in value:
            found += _value(field["type"], value[name], f"{path}.{name}")
        elif field["required"]:
            found.append(f"{path}.{name} is missing")
    return found


def _value(kind: Any, value: Any, path: str) -> list[str]:
    if path.rsplit(".", 1)[-1] in RENDERED:
        return []
    match kind:
        case {"type": "struct"}:
            return _struct(kind, value, path)
        case {"type": "map"}:
            bad = not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values())
        case {"type": "list"}:
            bad = not isinstance(value, list) or not all(isinstance(v, str) for v in value)
        case "timestamptz":
            bad = not isinstance(value, str) or not _RFC3339.fullmatch(value)
        case "int" | "long":
            bad = type(value) is not int or abs(value) >= _LIMITS[kind]
        case _:
            bad = not isinstance(value, str)
    return [f"{path} is no {kind}: {value!r}"] if bad else []
