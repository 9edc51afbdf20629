"""Who calls, and what they may do to which warehouses and namespaces. Pure."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import translate
from typing import Self

from frazil.table_catalog.core.errors import ForbiddenError, Reason

Namespace = tuple[str, ...]
# Methods that change nothing.
READING = ("GET", "HEAD")
# Between levels, as in URLs: names themselves may have dots.
_BETWEEN = "\x1f"


class Action(StrEnum):
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Grant:
    """A right to the namespaces that fit a pattern, and to all that is below them."""

    action: Action
    warehouse: re.Pattern[str]
    namespace: re.Pattern[str]

    @classmethod
    def parse(cls, action: Action, text: str) -> Self:
        """Read `warehouse/namespace`, both with `*` and `?`, levels of the second with dots."""
        warehouse, _, namespace = text.partition("/")
        if not warehouse:
            raise ValueError("a right names a warehouse, such as `kafkawarehouse/streaming.*`")
        levels = (namespace or "*").replace(".", _BETWEEN)
        return cls(action, re.compile(translate(warehouse)), re.compile(translate(levels)))

    def covers(self, action: Action, warehouse: str, namespace: Namespace | None) -> bool:
        enough = action is self.action or (action, self.action) == (Action.READ, Action.WRITE)
        return (
            enough
            and self.warehouse.match(warehouse) is not None
            and (namespace is None or self._holds(namespace))
        )

    def _holds(self, namespace: Namespace) -> bool:
        above = (namespace[:depth] for depth in range(1, len(namespace) + 1))
        return any(self.namespace.match(_BETWEEN.join(levels)) for levels in above)


@dataclass(frozen=True, slots=True)
class Principal:
    name: str
    grants: tuple[Grant, ...] = ()
    admin: bool = False

    @classmethod
    def everything(cls) -> Self:
        both = (Grant.parse(Action.READ, "*"), Grant.parse(Action.WRITE, "*"))
        return cls("everybody", both, admin=True)

    def may(self, action: Action, warehouse: str, namespace: Namespace | None = None) -> bool:
        """Without a namespace: somewhere in the warehouse."""
        if action is Action.ADMIN:
            return self.admin
        return any(grant.covers(action, warehouse, namespace) for grant in self.grants)

    def require(self, action: Action, warehouse: str, namespace: Namespace | None = None) -> None:
        if not self.may(action, warehouse, namespace):
            where = warehouse if namespace is None else f"{warehouse}/{'.'.join(namespace)}"
            raise ForbiddenError(f"{self.name} has no right to {action} {where}", Reason.RIGHT)
