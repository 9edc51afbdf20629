"""`${NAME}` and `${NAME:-default}` in the values of a document. Pure.

Everything else in dollars and braces is left alone: `${file:...}` is for Kafka Connect to read.
"""

import re
from collections.abc import Mapping
from typing import Any

_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def fill(document: Any, values: Mapping[str, str]) -> Any:
    """Copy a document with its placeholders filled; ask `missing` first."""
    if isinstance(document, dict):
        return {key: fill(part, values) for key, part in document.items()}
    if isinstance(document, list):
        return [fill(part, values) for part in document]
    if isinstance(document, str):
        return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[2]), document)
    return document


def missing(document: Any, values: Mapping[str, str]) -> list[str]:
    """Name each placeholder that has neither a value nor a default, once, in order."""
    if isinstance(document, dict):
        names = [name for part in document.values() for name in missing(part, values)]
    elif isinstance(document, list):
        names = [name for part in document for name in missing(part, values)]
    elif isinstance(document, str):
        found = _PLACEHOLDER.finditer(document)
        names = [match[1] for match in found if match[2] is None and match[1] not in values]
    else:
        names = []
    return list(dict.fromkeys(names))
