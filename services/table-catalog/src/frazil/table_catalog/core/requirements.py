"""What a commit asks for of the table or view as it is: all of it holds, or 409."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from frazil.table_catalog.core.errors import BadRequestError, CommitFailedError

Metadata = Mapping[str, Any]
Requirement = Mapping[str, Any]

_CREATE = "assert-create"
# A requirement that compares one field of the metadata with one of its own.
_SAME = {
    "assert-table-uuid": ("uuid", "table-uuid", "table UUID"),
    "assert-view-uuid": ("uuid", "view-uuid", "view UUID"),
    "assert-last-assigned-field-id": (
        "last-assigned-field-id",
        "last-column-id",
        "last assigned field id",
    ),
    "assert-current-schema-id": ("current-schema-id", "current-schema-id", "current schema id"),
    "assert-last-assigned-partition-id": (
        "last-assigned-partition-id",
        "last-partition-id",
        "last assigned partition id",
    ),
    "assert-default-spec-id": ("default-spec-id", "default-spec-id", "default spec id"),
    "assert-default-sort-order-id": (
        "default-sort-order-id",
        "default-sort-order-id",
        "default sort order id",
    ),
}


def check_requirements(requirements: Sequence[Requirement], metadata: Metadata | None) -> None:
    """Raise CommitFailedError with the first one that does not hold; no metadata: no table."""
    for requirement in requirements:
        if requirement["type"] == _CREATE:
            if metadata is not None:
                raise CommitFailedError("Requirement failed: it already exists")
            continue
        if metadata is None:
            raise CommitFailedError("Requirement failed: there is no current metadata")
        _CHECKS[requirement["type"]](requirement, metadata)


def check_known(kinds: Collection[str], given: Sequence[Mapping[str, Any]], key: str) -> None:
    """Refuse words that we do not know, whatever else is to be said about a commit."""
    for one in given:
        if str(one.get(key)) not in kinds:
            raise BadRequestError(f"this {key} of a commit is not known: {one.get(key)}")


def creates(requirements: Sequence[Requirement]) -> bool:
    return any(requirement.get("type") == _CREATE for requirement in requirements)


def _check_same(requirement: Requirement, metadata: Metadata) -> None:
    asked, there, words = _SAME[requirement["type"]]
    if asked not in requirement:
        raise BadRequestError(f"the requirement {requirement['type']} has no {asked}")
    expected, found = requirement[asked], metadata.get(there)
    if str(expected) != str(found):
        raise CommitFailedError(
            f"Requirement failed: {words} has changed: expected {expected}, found {found}"
        )


def _check_ref(requirement: Requirement, metadata: Metadata) -> None:
    if "ref" not in requirement:
        raise BadRequestError("the requirement assert-ref-snapshot-id has no ref")
    name, expected = requirement["ref"], requirement.get("snapshot-id")
    ref = metadata.get("refs", {}).get(name)
    found = ref and ref["snapshot-id"]
    if expected == found:
        return
    if ref is None:
        raise CommitFailedError(
            f"Requirement failed: branch or tag {name} is missing, expected {expected}"
        )
    if expected is None:
        raise CommitFailedError(
            f"Requirement failed: {ref['type']} {name} was created concurrently"
        )
    raise CommitFailedError(
        f"Requirement failed: {ref['type']} {name} has changed: expected id {expected}, "
        f"found {found}"
    )


_CHECKS: dict[str, Callable[[Requirement, Metadata], None]] = {
    **dict.fromkeys(_SAME, _check_same),
    "assert-ref-snapshot-id": _check_ref,
}
OF_VIEWS = frozenset({"assert-view-uuid"})
OF_TABLES = frozenset({_CREATE, *_CHECKS}) - OF_VIEWS
