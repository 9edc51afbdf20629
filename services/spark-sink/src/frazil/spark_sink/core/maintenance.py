"""What a table needs to be as its objectives want it: decisions on what it is like now.

Small files are put together in tiers, each `FAN_IN` times as large as the one below. A file waits
until its partition has enough of its size: so a row is written again once a tier, not once a
commit. What a partition has left is put together once nothing is added to it any more.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

FAN_IN = 8
DELETED_SHARE = 0.1

# A little smaller than wanted is good enough, as for Iceberg's own planner.
_GOOD_ENOUGH = 0.75
_SMALLEST_TIER = 64 * 1024
_MANIFEST_BYTES = 8 * 1024 * 1024
_FEW_MANIFESTS = 30


@dataclass(frozen=True)
class Objectives:
    """What tables are to be like; None where nothing is wanted. `budget` is a share of the time."""

    file_bytes: int
    history: timedelta | None
    snapshots: int | None
    orphan_age: timedelta | None
    budget: float


@dataclass(frozen=True)
class DataFile:
    """`is_new` tells that records came in it lately; what was put together is not new."""

    partition: int
    size: int
    is_new: bool


@dataclass(frozen=True)
class Compaction:
    """Files smaller than `below` are put together, in partitions that have `at_least` so many."""

    below: int
    at_least: int


def tiers(file_bytes: int) -> list[int]:
    """Return the sizes below which a file is small, the smallest first."""
    found = [int(_GOOD_ENOUGH * file_bytes)]
    while found[0] // FAN_IN >= _SMALLEST_TIER:
        found.insert(0, found[0] // FAN_IN)
    return found


def compaction(
    files: Sequence[DataFile], deleted_share: float, file_bytes: int
) -> Compaction | None:
    """Choose what to put together: the smallest files first, for they cost the least."""
    bounds = tiers(file_bytes)
    for at_least, below in pairwise([0, *bounds]):
        # Those of smaller tiers come along, but do not count: they would soon come again.
        if max(map(len, _between(files, at_least, below)), default=0) >= FAN_IN:
            return Compaction(below, FAN_IN)
    # Files of which much was deleted are rewritten whatever their size.
    if deleted_share >= DELETED_SHARE:
        return Compaction(bounds[0], FAN_IN)
    busy = {one.partition for one in files if one.is_new}
    resting = [one for one in files if one.partition not in busy]
    for below in bounds:
        left = max(map(len, filter(_is_worth_it, _between(resting, 0, below))), default=0)
        if left:
            return Compaction(below, left)
    return None


def _between(files: Iterable[DataFile], at_least: int, below: int) -> Iterable[list[int]]:
    """Return the sizes of files between these two, partition by partition."""
    found: dict[int, list[int]] = defaultdict(list)
    for one in files:
        if at_least <= one.size < below:
            found[one.partition].append(one.size)
    return found.values()


def _is_worth_it(sizes: Sequence[int]) -> bool:
    """Tell whether what comes together is not just the largest file with crumbs."""
    others = sum(sizes) - max(sizes)
    return others * FAN_IN >= max(sizes)


def has_enough_to_expire(expirable: int, snapshots: int) -> bool:
    """Tell whether it is worth a commit: one snapshot too many is not, where there are hundreds."""
    return expirable >= max(1, snapshots // 10)


def has_too_many_manifests(sizes: Sequence[int]) -> bool:
    wanted = -(-sum(sizes) // _MANIFEST_BYTES)
    return len(sizes) >= max(_FEW_MANIFESTS, 2 * wanted)


def rest_after_step(seconds: float, budget: float) -> float:
    """Return how long nothing may be done after a step that took so long."""
    return seconds * (1 / budget - 1)
