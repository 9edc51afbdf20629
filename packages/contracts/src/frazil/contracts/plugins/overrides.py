"""Which settings of its Kafka clients a connector may choose: Connect's policies, as a rule."""

import re
from collections.abc import Iterator
from enum import StrEnum

from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.plugin import Rule

_OVERRIDE = re.compile(r"(?:producer|consumer|admin)\.override\.(.+)", re.DOTALL)
_OF_PRINCIPALS = frozenset({"sasl.jaas.config", "sasl.mechanism", "security.protocol"})


class OverridePolicy(StrEnum):
    ALL = "All"
    NONE = "None"
    PRINCIPAL = "Principal"

    def allows(self, setting: str) -> bool:
        return self is OverridePolicy.ALL or (
            self is OverridePolicy.PRINCIPAL and setting in _OF_PRINCIPALS
        )


def override_rule(policy: OverridePolicy) -> Rule:
    def check_overrides(config: ParsedConfig) -> Iterator[Complaint]:
        for name in config.values:
            found = _OVERRIDE.fullmatch(name)
            if found and not policy.allows(found[1]):
                yield Complaint(
                    name,
                    f"The '{policy}' policy does not allow '{found[1]}' to be overridden in the "
                    "connector configuration.",
                )

    return check_overrides
