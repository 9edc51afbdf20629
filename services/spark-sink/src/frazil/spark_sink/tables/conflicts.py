"""Values that their columns cannot hold: what is done there, and what is told of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType

from frazil.contracts.columns import ColumnRules, Path, Policy


@dataclass(frozen=True, eq=False)
class Conflict:
    """Where a record has a value that a column of this type cannot hold."""

    where: Column
    type: DataType

    def sentence(self, path: Path) -> str:
        return f"column {'.'.join(path)} ({self.type.simpleString()}) cannot hold its value"


@dataclass(frozen=True, eq=False)
class Converted:
    """A column of the wanted type; `failed` tells where a value was lost, None if never.

    `conflicts` are by path, where the record as a whole is to be dealt with.
    """

    column: Column
    failed: Column | None = None
    conflicts: Mapping[Path, Conflict] = field(default_factory=dict)

    def told_by(self, *others: "Converted") -> "Converted":
        """Add what parts of it, or of what it was made from, have to tell."""
        all_of = (self, *others)
        return replace(
            self,
            failed=any_of([one.failed for one in all_of]),
            conflicts={path: found for one in all_of for path, found in one.conflicts.items()},
        )

    def told_where(self, change: Callable[[Column], Column], column: Column) -> "Converted":
        """Return another column, and tell the same of it in other words."""
        return Converted(
            column,
            None if self.failed is None else change(self.failed),
            {path: replace(one, where=change(one.where)) for path, one in self.conflicts.items()},
        )


@dataclass(frozen=True)
class Spot:
    """A column, a field inside of one or an element, and the rules that hold there."""

    rules: ColumnRules = field(default_factory=ColumnRules)
    ignore_case: bool = False
    path: Path = ()

    def inside(self, name: str) -> "Spot":
        return replace(self, path=(*self.path, name)) if self.rules.judges else self

    @property
    def policy(self) -> Policy:
        return self.rules.policy(self.path)

    def settled(self, column: Column, wrong: Column, kind: DataType) -> Converted:
        """Do with values that are not of the type as the policy says; there the column is null."""
        if self.policy in (Policy.NULL, Policy.FAIL):
            return Converted(column, conflicts={self.path: Conflict(wrong, kind)})
        return Converted(column, wrong)


ANYWHERE = Spot()


def any_of(failures: list[Column | None]) -> Column | None:
    found = [failure for failure in failures if failure is not None]
    return reduce(or_, found) if found else None


def either(
    met: Column, then: Mapping[Path, Conflict], otherwise: Mapping[Path, Conflict]
) -> dict[Path, Conflict]:
    """Return the conflicts of records that were read in one of two ways, by a condition."""
    found: dict[Path, Conflict] = {}
    for path in {**otherwise, **then}:
        where = fn.when(met, _where(then.get(path))).otherwise(_where(otherwise.get(path)))
        found[path] = replace(then[path] if path in then else otherwise[path], where=where)
    return found


def _where(conflict: Conflict | None) -> Column:
    return fn.lit(False) if conflict is None else conflict.where


_STOPS = "stops"
_NULLED = "nulled"


@dataclass(frozen=True, eq=False)
class Told:
    """What rules have to tell of a record, in columns; None where no rule could.

    `stops` and `nulled` say which column could not hold its value.
    """

    stops: Column | None = None
    nulled: Column | None = None

    def fault(self, fault: Column) -> Column:
        return fault if self.stops is None else fn.coalesce(self.stops, fault)

    def where_no(self, fault: Column) -> "Told":
        """Tell nothing of rows where there is none."""
        if self.nulled is None:
            return self
        return replace(self, nulled=fn.when(self.fault(fault).isNull(), self.nulled))

    @property
    def columns(self) -> list[Column]:
        named = ((self.stops, _STOPS), (self.nulled, _NULLED))
        return [column.alias(name) for column, name in named if column is not None]


def told_of(conflicts: Mapping[Path, Conflict], rules: ColumnRules, exempt: Column) -> Told:
    """Sum up a record's conflicts. A policy that no column has costs nothing."""

    def sentence(policy: Policy) -> Column | None:
        if not rules.uses(policy):
            return None
        found = [
            fn.when(~exempt & one.where, one.sentence(path))
            for path, one in conflicts.items()
            if rules.policy(path) is policy
        ]
        return fn.coalesce(fn.lit(None).cast("string"), *found)

    return Told(sentence(Policy.FAIL), sentence(Policy.NULL))


def measures(told: Iterable[Told]) -> list[Column]:
    """Return what to count of records that were told of, whichever way they were read."""
    known = list(told)
    found = []
    if any(one.stops is not None for one in known):
        where = fn.struct("topic", "partition", "offset", _STOPS)
        found.append(fn.min(fn.when(fn.col(_STOPS).isNotNull(), where)).alias("first_stop"))
    if any(one.nulled is not None for one in known):
        found.append(fn.count(_NULLED).alias("nulled"))
    return found
