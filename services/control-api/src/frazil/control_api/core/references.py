"""References such as `${file:/path:key}` in the values of a configuration, in Connect's grammar."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from frazil.control_api.core.errors import SecretError, SecretMissingError, SecretRefusedError
from frazil.control_api.core.ports import Reference, Secrets

_REFERENCE = re.compile(r"\$\{([^}]*?):(?:([^}]*?):)?([^}]*?)\}")


def references_in(text: str) -> Iterator[Reference]:
    for found in _REFERENCE.finditer(text):
        yield Reference(found[0], provider=found[1], path=found[2], key=found[3])


def has_references(config: Mapping[str, str | None]) -> bool:
    return any(_REFERENCE.search(text or "") for text in config.values())


@dataclass(frozen=True, slots=True)
class Resolved:
    """A configuration in clear, and each text that a reference in it stands for."""

    config: dict[str, str] = field(repr=False)
    secrets: frozenset[str] = field(repr=False)


def resolve(config: Mapping[str, str], secrets: Secrets) -> Resolved:
    """Put values in the place of references; raises SecretError with a sentence that has none."""
    values: dict[str, str] = {}
    for name, text in config.items():
        for reference in references_in(text):
            try:
                values[reference.text] = secrets.value(reference)
            except SecretError as error:
                raise type(error)(f"{name}: {error}") from error
    return Resolved(
        {name: fill(text, values) for name, text in config.items()}, frozenset(values.values())
    )


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fill in what is known; once, for what a value holds is not looked at again."""
    return _REFERENCE.sub(lambda found: values.get(found[0], found[0]), text)


def listed(references: Iterable[Reference]) -> str:
    return ", ".join(dict.fromkeys(reference.text for reference in references))


class NoSecrets:
    """Secrets for those who have none: every reference is refused."""

    def value(self, reference: Reference) -> str:
        raise SecretRefusedError(f"{reference.text} is not allowed")


class UnseenSecrets:
    """Secrets for callers who may not test guesses at them: no value is there."""

    def value(self, reference: Reference) -> str:
        raise SecretMissingError(f"{reference.text} is not looked behind")
