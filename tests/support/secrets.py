"""Secrets for tests: a dictionary, from the text of a reference to its value."""

from collections.abc import Mapping

from frazil.control_api.core.errors import SecretMissingError, SecretRefusedError
from frazil.control_api.core.ports import Reference


class FakeSecrets:
    """Whatever is not known and is of the provider `env` is missing, all else is refused."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.values = dict(values or {})

    def value(self, reference: Reference) -> str:
        if reference.text in self.values:
            return self.values[reference.text]
        if reference.provider == "env":
            raise SecretMissingError(f"{reference.text} cannot be resolved: it is not there")
        raise SecretRefusedError(f"{reference.text} is not allowed")
