"""Folders of tables and views: which ones metadata name, and which right each needs. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from frazil.table_catalog.core.errors import BadRequestError, ForbiddenError, Reason
from frazil.table_catalog.core.names import Namespace, levels_below, plain, within
from frazil.table_catalog.core.rights import Action, Principal

# Properties that name folders; Java's writers still read the one for folder storage.
_PROPERTIES = (
    "write.metadata.path",
    "write.data.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)
# Bytes of a folder's name, so that the name of a file in it fits into the database.
_LONGEST = 900


def folders_of(metadata: Mapping[str, Any]) -> list[str]:
    """List the folders that a table or view says are its own."""
    properties = metadata.get("properties") or {}
    named = (metadata.get("location"), *(properties.get(name) for name in _PROPERTIES))
    return [str(folder).rstrip("/") for folder in named if folder]


def owner_of(location: str, root: str) -> Namespace:
    """Find the namespace whose right a folder or file needs: that of the folder above it."""
    levels = levels_below(location, root)
    return levels[:-1] or levels


def check_below(locations: Sequence[str], root: str) -> None:
    """Refuse what is not below a warehouse: files are written where clients say."""
    for location in locations:
        if not within(location.rstrip("/"), root):
            raise BadRequestError(f"{location} is not below the warehouse, which is {root}")
        if not _can_be_kept(location):
            raise BadRequestError(
                f"a location has at most {_LONGEST} bytes and no control characters: "
                f"{location[:80]!r}"
            )


def require_folders(
    who: Principal, action: Action, warehouse: str, *, root: str, folders: Sequence[str]
) -> None:
    """Raise ForbiddenError unless somebody has the right to all folders; administrators have."""
    for folder in folders:
        if not who.admin and not who.may(action, warehouse, owner_of(folder, root)):
            raise ForbiddenError(
                f"{who.name} has no right to {action} {folder}: it needs one to the namespace "
                f"{'.'.join(owner_of(folder, root))}",
                Reason.RIGHT,
            )


def added_to(held: Sequence[str], folders: Sequence[str]) -> tuple[str, ...]:
    """List the folders that are neither among those held nor below one of them."""
    new = {plain(folder) for folder in folders} - set(held)
    return tuple(
        sorted(
            one for one in new if not _can_be_kept(one) or not any(within(one, had) for had in held)
        )
    )


def _can_be_kept(location: str) -> bool:
    return len(location.encode()) <= _LONGEST and all(ord(one) >= 32 for one in location)


def at_or_below(location: str, folder: str) -> bool:
    """Whether both may name the same files: true in doubt, so nothing is allowed because of it."""
    return f"{plain(location)}/".startswith(f"{plain(folder)}/")
