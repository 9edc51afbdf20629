"""What Kafka Connect's connectors take and ours do not do yet, each refused by one sentence."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from frazil.contracts.validators import invalid

_REMOVE = "remove the key"


@dataclass(frozen=True)
class NotYet:
    """A value that is refused; `applies` tells it from those that are taken."""

    form: str
    _: KW_ONLY
    value: str
    advice: str = _REMOVE
    applies: Callable[[Any], bool] = bool

    def sentence(self, name: str, given: Any) -> str:
        why = f"This connector does not support {self.value} yet; {self.advice}."
        return invalid(name, given, why)


STAGE_LIMITS = (
    NotYet("transforms", value="a transform"),
    NotYet("predicates", value="a predicate"),
)
