"""Names of namespaces, tables and views: on the wire, and as the database keeps them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote

from frazil.table_catalog.core.errors import BadRequestError

Namespace = tuple[str, ...]
# Between levels in URLs; in the database they have dots between them, as Iceberg's own have.
_BETWEEN = "\x1f"
_LONGEST = 255


def check_namespace(levels: Sequence[str]) -> Namespace:
    """Refuse what could not be told apart, or could leave the folder that it names."""
    if not levels:
        raise BadRequestError("a namespace has at least one level")
    for level in levels:
        check_name(level)
        if "." in level:
            raise BadRequestError(f"a level of a namespace has no dot here: {level!r}")
    if len(".".join(levels)) > _LONGEST:
        raise BadRequestError(f"a namespace has at most {_LONGEST} characters")
    return tuple(levels)


def check_name(name: str) -> str:
    if not name or len(name) > _LONGEST:
        raise BadRequestError(f"a name has 1 to {_LONGEST} characters: {name!r}")
    if name in (".", "..") or any(one == "/" or ord(one) < 32 for one in name):
        raise BadRequestError(f"a name has neither slashes nor control characters: {name!r}")
    return name


def namespace_of(text: str) -> Namespace:
    """Read a namespace out of a path or a query."""
    return check_namespace(text.split(_BETWEEN))


def dotted(namespace: Namespace) -> str:
    return ".".join(namespace)


def levels_of(text: str) -> Namespace:
    return tuple(text.split("."))


@dataclass(frozen=True, slots=True, order=True)
class Identifier:
    """A table or a view, within its warehouse."""

    namespace: Namespace
    name: str

    @classmethod
    def of(cls, namespace: Sequence[str], name: str) -> Self:
        return cls(check_namespace(namespace), check_name(name))

    def __str__(self) -> str:
        return f"{dotted(self.namespace)}.{self.name}"


def within(location: str, root: str) -> bool:
    """Whether a location is below another one, and stays there."""
    location, base = _as_one_spells(location), _as_one_spells(root).rstrip("/") + "/"
    # Whoever opens it may unquote it first: %2e%2e may lead up as well.
    levels = unquote(location).split("/")
    return location.startswith(base) and not {".", ".."} & set(levels)


def levels_below(location: str, root: str) -> tuple[str, ...]:
    """Split what a location has more than the one it is within."""
    return tuple(plain(location).removeprefix(f"{plain(root)}/").split("/"))


def plain(location: str) -> str:
    """Spell a location in the one way of all that may name the same files.

    Local disks take several slashes for one; a store of objects does not, but there nobody needs
    names that differ in that alone.
    """
    scheme, _, path = _as_one_spells(location).partition("://")
    return f"{scheme}://{'/'.join(level for level in path.split('/') if level)}"


def _as_one_spells(location: str) -> str:
    """Hadoop, and so Spark, writes `file:/` where others write `file:///`, and knows `s3a:`."""
    return re.sub("^s3[an]:", "s3:", re.sub("^file:/+", "file:///", location))
