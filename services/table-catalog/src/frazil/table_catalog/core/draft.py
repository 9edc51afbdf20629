"""Metadata in the making: what the updates of one commit see of each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frazil.table_catalog.core.errors import BadRequestError

Json = dict[str, Any]

# What stands for "the one that this commit added last".
LAST_ADDED = -1


@dataclass(slots=True)
class Draft:
    """A copy to work on: lists and maps in it are replaced, never changed in place."""

    metadata: Json
    now: int
    added: dict[str, int] = field(default_factory=dict)
    new_snapshots: set[int] = field(default_factory=set)

    @property
    def version(self) -> int:
        return int(self.metadata["format-version"])

    def find(self, where: str, key: str, wanted: Any) -> Json | None:
        """Find one of a list by its id."""
        return next((one for one in self.metadata.get(where, ()) if one.get(key) == wanted), None)

    def append(self, where: str, one: Mapping[str, Any]) -> None:
        self.metadata[where] = [*self.metadata.get(where, ()), one]

    def keep(self, where: str, key: str, *, without: Sequence[Any]) -> None:
        """Drop those of a list whose id is among `without`."""
        gone = set(without)
        self.metadata[where] = [one for one in self.metadata.get(where, ()) if one[key] not in gone]

    def add_numbered(
        self, where: str, key: str, given: Mapping[str, Any], *, first: int = 0
    ) -> int:
        """Add under the given id, or a free one; what is there already is not added again."""
        known = self.metadata.get(where, ())
        plain = _without(given, key)
        number = next((one[key] for one in known if _without(one, key) == plain), None)
        if number is None:
            taken = {one[key] for one in known}
            number = given.get(key)
            if not isinstance(number, int) or number < first or number in taken:
                number = max(taken, default=first - 1) + 1
            self.append(where, {**given, key: number})
        self.added[where] = number
        return int(number)

    def resolve(self, where: str, key: str, number: int) -> int:
        """Turn -1 into what was added last; refuse what is not there."""
        if number == LAST_ADDED:
            if where not in self.added:
                raise BadRequestError(f"Cannot set last added of {where}: none has been added")
            return self.added[where]
        if self.find(where, key, number) is None:
            raise BadRequestError(f"Cannot set unknown {key}: {number}")
        return number


def most_of(metadata: Mapping[str, Any], name: str, default: int) -> int:
    """Read from a property how many entries a history has, at least one."""
    given = (metadata.get("properties") or {}).get(name, default)
    try:
        return max(1, int(given))
    except ValueError:
        raise BadRequestError(f"the property {name} is no number: {str(given)[:80]!r}") from None


def _without(one: Mapping[str, Any], key: str) -> Json:
    # An empty list of identifier fields says the same as none.
    return {name: value for name, value in one.items() if name != key and value not in ([], None)}
