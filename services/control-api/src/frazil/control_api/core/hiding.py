"""Which texts of an assignment must not be said, by whomever they are found."""

from collections.abc import Mapping

from frazil.contracts.secrets import texts_in
from frazil.control_api.core.references import Resolved


def texts_to_hide(resolved: Resolved, kafka: Mapping[str, str]) -> tuple[str, ...]:
    """List what references stood for, the values of secret keys, and passwords within values."""
    return tuple(sorted({*resolved.secrets, *texts_in(resolved.config), *texts_in(kafka)}))
