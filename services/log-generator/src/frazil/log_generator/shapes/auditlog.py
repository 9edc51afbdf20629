"""Audit records: who changed what, as old servers tell it and as new ones do."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from frazil.log_generator.shapes.audit_events import EVENTS, Event
from frazil.log_generator.shapes.chance import nested, pick
from frazil.log_generator.shapes.cluster import (
    Client,
    Generation,
    Node,
    Record,
    bucket_wheel,
    clients,
    nodes,
    request_ids,
    stamps,
    without_empty,
)

_SAMPLES = 16


class AuditLog:
    """Answers audit records, drawn from samples made beforehand."""

    def __init__(self, *, world: Random, rng: Random, start_ns: int) -> None:
        callers = clients(world)
        bucket = bucket_wheel(rng)
        self._node = pick(rng, nodes())
        self._stamp = stamps(rng)
        self._id = request_ids(rng, start_ns)
        self._changes = {
            generation: _change_wheel(rng, callers, bucket=bucket, generation=generation)
            for generation in Generation
        }

    def __call__(self, when_ns: int) -> Record:
        node: Node = self._node()
        return {
            "version": "1",
            "time": self._stamp(when_ns),
            "node": node.name,
            **self._changes[node.generation](),
            "requestID": self._id(),
        }


def _change_wheel(
    rng: Random,
    callers: tuple[Client, ...],
    *,
    bucket: Callable[[], str],
    generation: Generation,
) -> Callable[[], Record]:
    def sample(event: Event) -> Record:
        client = rng.choice(callers)
        user = client.parent_user or client.access_key
        names = {"user": user, "bucket": bucket(), "node": "node-1.minio.example:9000"}
        record: Record = _fill(_telling(event, client, generation), names)
        return record

    return nested(
        rng, [(pick(rng, [sample(e) for _ in range(_SAMPLES)]), e.weight) for e in EVENTS]
    )


def _telling(event: Event, client: Client, generation: Generation) -> Record:
    """All of a record but its head, with the fields that this release fills."""
    return without_empty(
        {
            "apiName": event.api,
            "category": generation.has_category and event.category,
            "action": generation.has_action and event.action,
            "bucket": event.bucket and "{bucket}",
            "message": generation.has_message and event.message,
            "metadata": generation.has_message and _metadata(event),
            "requestClaims": client.claims,
            "sourceHost": client.host,
            "accessKey": client.access_key,
            "parentUser": client.parent_user,
            "details": generation.has_action and {event.member: event.details},
        }
    )


def _metadata(event: Event) -> Record:
    if event.diff is None:
        return {}
    old, new = event.diff
    return {"diff": {"old": old, "new": new}}


def _fill(value: Any, names: Mapping[str, str]) -> Any:
    """Put names in the place of `{user}`, `{bucket}` and `{node}`, at any depth."""
    if isinstance(value, dict):
        return {key: _fill(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [_fill(part, names) for part in value]
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(f"{{{name}}}", text)
    return value
