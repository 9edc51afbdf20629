"""Types of columns by Iceberg's names, and what is to become of values that are of another type."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

Path = tuple[str, ...]
RESCUED_COLUMN = "_rescued_data"

_MOST_DIGITS = 38
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_NAMES = ("boolean", "int", "long", "float", "double", "string", "binary", "date", "timestamp",
          "timestamptz", "variant")  # fmt: skip


class BadTypeError(ValueError):
    """The text is no type of a column; its words say what is."""


class BadPathError(ValueError):
    """The text leads to no column."""


class Policy(StrEnum):
    """What becomes of a value that a column cannot hold.

    CAST makes its record a dead letter, FAIL stops the connector. With NULL and RESCUE the row is
    written with a null: NULL keeps the whole record as a letter, RESCUE keeps the value in the row,
    in a column for all values that were rescued.
    """

    CAST = "cast"
    FAIL = "fail"
    NULL = "null"
    RESCUE = "rescue"


@dataclass(frozen=True)
class ColumnType:
    """A type of single values; `precision` and `scale` are those of a decimal."""

    name: str
    precision: int = 0
    scale: int = 0


def parse_type(text: str) -> ColumnType:
    spelled = text.strip().lower()
    if spelled in _NAMES:
        return ColumnType(spelled)
    digits = _DECIMAL.fullmatch(spelled)
    if digits and 0 < int(digits[1]) <= _MOST_DIGITS and int(digits[2]) <= int(digits[1]):
        return ColumnType("decimal", int(digits[1]), int(digits[2]))
    raise BadTypeError(
        f"{text} is no type of a column: give {', '.join(_NAMES)}, or decimal(p,s) with at most "
        f"{_MOST_DIGITS} digits"
    )


def parse_path(text: str) -> Path:
    path = tuple(text.split("."))
    if "" in path:
        raise BadPathError(f"{text} is no path of a column: a name between two dots is missing")
    return path


@dataclass(frozen=True)
class ColumnRules:
    """What is set for the columns of a table, by the paths that lead to them.

    Elements of lists are `element`, values of maps `value`. A policy holds for all that is inside,
    where nothing else is said of that; the default is that of the table itself. `rescued` names the
    column that keeps values by the policy RESCUE, as JSON by path.
    """

    default: Policy = Policy.CAST
    policies: Mapping[Path, Policy] = field(default_factory=dict)
    types: Mapping[Path, ColumnType] = field(default_factory=dict)
    rescued: str = RESCUED_COLUMN
    ignore_case: bool = False

    def policy(self, path: Path) -> Policy:
        known = self._spelled(path)
        for depth in range(len(known), 0, -1):
            if known[:depth] in self.policies:
                return self.policies[known[:depth]]
        return self.default

    def type(self, path: Path) -> ColumnType | None:
        return self.types.get(self._spelled(path))

    def uses(self, policy: Policy) -> bool:
        return policy in (self.default, *self.policies.values())

    @property
    def judges(self) -> bool:
        """Tell whether any value is to be dealt with otherwise than by default."""
        return any(self.uses(policy) for policy in Policy if policy is not Policy.CAST)

    def casting(self, paths: Iterable[Path]) -> "ColumnRules":
        """Let records die that these columns, and what is inside of them, cannot hold."""
        fixed = [self._spelled(path) for path in paths if path]
        others = {
            path: policy
            for path, policy in self.policies.items()
            if not any(path[: len(one)] == one for one in fixed)
        }
        return replace(self, policies={**others, **dict.fromkeys(fixed, Policy.CAST)})

    def ignoring_case(self) -> "ColumnRules":
        return replace(
            self,
            policies={_lower(path): policy for path, policy in self.policies.items()},
            types={_lower(path): kind for path, kind in self.types.items()},
            ignore_case=True,
        )

    def _spelled(self, path: Path) -> Path:
        return _lower(path) if self.ignore_case else path


def _lower(path: Path) -> Path:
    return tuple(name.lower() for name in path)
