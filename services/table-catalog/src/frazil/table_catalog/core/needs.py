"""What a call needs: rights, by its route and by what its body names. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frazil.table_catalog.core.errors import BadRequestError
from frazil.table_catalog.core.rights import READING, Action, Namespace

# Sent by those who read too: reports of scans, questions too long for a URL, and requests to the
# S3 store, of which each is looked at.
_ASKING = ("/metrics", "/plan", "/sign", "/tasks")


@dataclass(frozen=True, slots=True)
class Need:
    action: Action
    warehouse: str
    namespace: Namespace | None = None


def needs(
    method: str, route: str, *, params: Mapping[str, str], body: bytes = b""
) -> tuple[Need, ...]:
    """List all rights of which none may be missing; `route` is a template such as `/v1/{prefix}`.

    What changes something without naming a namespace needs the right to administrate.
    """
    reads = method in READING or route.endswith(_ASKING)
    action = Action.READ if reads else Action.WRITE
    warehouse = params.get("prefix")
    if warehouse is None:
        # Lists of warehouses show what the caller may read, and configurations are no secret.
        return () if reads else (Need(Action.ADMIN, params.get("name", "*")),)
    if "namespace" in params:
        return (Need(action, warehouse, tuple(params["namespace"].split("\x1f"))),)
    if reads:
        return (Need(action, warehouse),)
    named = tuple(Need(action, warehouse, namespace) for namespace in _named(route, body))
    return named or (Need(Action.ADMIN, warehouse),)


def _named(route: str, body: bytes) -> Iterator[Namespace]:
    match route.rsplit("/", 1)[-1], _parsed(body):
        case "namespaces", {"namespace": namespace}:
            yield _namespace(namespace)
        case "rename", {"source": source, "destination": destination}:
            yield _of_identifier(source)
            yield _of_identifier(destination)
        case "commit", {"table-changes": [*changes]}:
            for change in changes:
                match change:
                    case {"identifier": identifier}:
                        yield _of_identifier(identifier)
                    case _:
                        raise BadRequestError("a change of a table does not name the table")


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        raise BadRequestError("the body is not JSON") from None


def _of_identifier(identifier: Any) -> Namespace:
    match identifier:
        case {"namespace": namespace}:
            return _namespace(namespace)
    raise BadRequestError("an identifier has no namespace")


def _namespace(levels: Any) -> Namespace:
    if not isinstance(levels, list) or not all(isinstance(one, str) for one in levels):
        raise BadRequestError("a namespace is not a list of names")
    return tuple(levels)
