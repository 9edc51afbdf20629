"""Compares the locks with the list of known vulnerabilities; `make advisories` runs it.

It asks nobody: what it knows is in known.yaml, and how old that is, it says.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
KNOWN = Path(__file__).with_name("known.yaml")
PYSPARK = "pyspark"
_PACKAGE = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", re.M)
_JAR = re.compile(r"([^/]+?)-(\d[^/]*)\.(?:jar|zip|tar\.gz)$")
_BOUND = re.compile(r"(<=|<|>=|>|==)(\S+)")
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class Locked:
    """A package at a version; `place` is the folder of the lock that names it."""

    place: str
    package: str
    version: str


@dataclass(frozen=True)
class Advisory:
    """`accepted` says by place why it does not matter there."""

    id: str
    package: str
    affected: tuple[str, ...]
    what: str
    source: str
    accepted: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "Advisory":
        return cls(**{**entry, "affected": tuple(entry["affected"])})

    def affects(self, one: Locked) -> bool:
        return one.package == self.package and any(
            _is_within(one.version, bounds) for bounds in self.affected
        )


def hits(locked: Iterable[Locked], advisories: Iterable[Advisory]) -> list[str]:
    """Say what is affected and not accepted, and what is accepted and no longer there."""
    known, found = list(advisories), list(locked)
    affected = [(one, advisory) for advisory in known for one in found if advisory.affects(one)]
    unknown = [
        f"{one.package} {one.version} ({one.place}): {advisory.id}: {advisory.what} "
        f"Affected: {', '.join(advisory.affected)}."
        for one, advisory in affected
        if one.place not in advisory.accepted
    ]
    places = {(one.place, advisory.id) for one, advisory in affected}
    idle = [
        f"{advisory.id} is accepted for {place}, where nothing is affected: take that out."
        for advisory in known
        for place in advisory.accepted
        if (place, advisory.id) not in places
    ]
    return [*dict.fromkeys(unknown), *idle]


def _is_within(version: str, bounds: str) -> bool:
    """Compare by the numbers of versions, which is all that a `.Final` or `.post1` leaves alike."""
    found = _BOUND.findall(bounds)
    if not found:
        raise ValueError(f"no bounds of a version: {bounds}")
    return all(_holds(_order(version, bound), sign) for sign, bound in found)


def _order(one: str, other: str) -> int:
    pairs = zip_longest(_numbers(one), _numbers(other), fillvalue=0)
    return next((1 if left > right else -1 for left, right in pairs if left != right), 0)


def _holds(order: int, sign: str) -> bool:
    return {
        "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0, "==": order == 0,
    }[sign]  # fmt: skip


def _numbers(version: str) -> list[int]:
    return [int(number) for number in _NUMBERS.findall(version)]


def packages(text: str, place: str) -> Iterator[Locked]:
    """Read what pip's locks name."""
    for name, version in _PACKAGE.findall(text):
        yield Locked(place, name.lower().replace("_", "-"), version)


def jars(names: Iterable[str], place: str) -> Iterator[Locked]:
    """Read the names of jars, as Maven makes them of artifact and version."""
    for name in names:
        if found := _JAR.search(name):
            yield Locked(place, *found.groups())


def locked(root: Path) -> Iterator[Locked]:
    for folder in ("requirements", "deploy/docker"):
        for file in sorted((root / folder).glob("*.txt")):
            yield from packages(file.read_text(), folder)
    for sums in ("packages", "tests", "deploy", "bench"):
        for file in sorted((root / sums).rglob("jars.sha256")):
            place = file.parent.relative_to(root).as_posix()
            yield from jars(file.read_text().split()[1::2], place)


def opened_by_drivers() -> Iterator[Locked]:
    """Read PySpark's jars, but for those that no driver opens and no image has."""
    # Not above: it needs PySpark, which the rest does not.
    from frazil.worker.jvm import class_path  # noqa: PLC0415

    return jars((jar.name for jar in class_path(ROOT)), PYSPARK)


def main() -> None:
    """Fail with what is affected."""
    known = yaml.safe_load(KNOWN.read_text())
    advisories = [Advisory.of(entry) for entry in known["advisories"]]
    found = hits([*locked(ROOT), *opened_by_drivers()], advisories)
    if found:
        sys.exit("\n".join(["Known vulnerabilities (advisories/known.yaml):", *found]))
    sys.stdout.write(
        f"No known vulnerability among the {len(advisories)} of {known['looked_at']}.\n"
    )


if __name__ == "__main__":
    main()
