"""Which texts of a configuration must not be said, by whomever they are found."""

import re
from collections.abc import Iterator, Mapping

from frazil.contracts.config import is_secret
from frazil.contracts.config_infos import HIDDEN
from frazil.control_api.core.references import Resolved
from frazil.control_api.core.revisions import without_secrets

# What stands inside of a value: `password="x"` in a login module or a URL, `//user:x@host`.
_INNER = re.compile(
    r'(?:password|secret|token)\w*=(?:"([^"]*)"|([^"&;\s]+))|//[^/:@\s]*:([^/@\s]+)@', re.I
)


def texts_to_hide(resolved: Resolved, kafka: Mapping[str, str]) -> tuple[str, ...]:
    """List what references stood for, the values of secret keys, and passwords within values."""
    hidden = without_secrets(resolved.config)
    found = {
        *resolved.secrets,
        *(text for name, text in resolved.config.items() if hidden[name] == HIDDEN),
        *(text for name, text in kafka.items() if is_secret(name)),
        *(text for whole in (*resolved.config.values(), *kafka.values()) for text in _inner(whole)),
    }
    return tuple(sorted(found))


def _inner(text: str) -> Iterator[str]:
    for found in _INNER.finditer(text):
        yield from filter(None, found.groups())
