"""A configuration read: typed values with defaults applied. And what is said of a bad one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from frazil.contracts.validators import Value

_HINT = (
    "You can also find the above list of errors at the endpoint "
    "`/connector-plugins/{connectorType}/config/validate`"
)


class Complaint(NamedTuple):
    """A rule's objection, shown beside one key."""

    key: str
    message: str


class InvalidConfigError(Exception):
    """Its text is that of Connect's answer, which clients take apart; `messages` has the list."""

    def __init__(self, messages: Sequence[str]) -> None:
        self.messages = tuple(messages)
        count = f"contains the following {len(messages)} error(s):"
        super().__init__(
            "\n".join((f"Connector configuration is invalid and {count}", *messages, _HINT))
        )


@dataclass(frozen=True)
class ParsedConfig:
    """Values by key. Nothing of it is ever printed, for it holds the secrets in clear."""

    values: Mapping[str, Value] = field(repr=False)
    submitted: Mapping[str, str] = field(repr=False)
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        """Return the typed value of a key, lists as tuples; None if it is not set.

        The type is that of the key, which only the reader knows: hence Any.
        """
        return self.values[name]

    def is_set(self, name: str) -> bool:
        """Tell whether the user has given the key, be it with its default."""
        return name in self.submitted

    def prefixed(self, prefix: str) -> dict[str, str]:
        """Return what was submitted under a prefix, which is cut off."""
        return {
            name.removeprefix(prefix): text
            for name, text in self.submitted.items()
            if name.startswith(prefix)
        }
