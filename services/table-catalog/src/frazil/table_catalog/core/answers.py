"""What a change answers with, and what is remembered of it for a client that asks twice."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

from frazil.table_catalog.core.errors import BadRequestError, UnprocessableError

_KEY = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
# As long as `/v1/config` promises.
LIFETIME = "PT30M"
LIFETIME_SECONDS = 30 * 60
# What an answer says of the files' store, if nothing.
NO_TERMS: Mapping[str, Any] = {"config": {}}


@dataclass(frozen=True, slots=True)
class Answer:
    """A document, or the metadata file that was written, or a refusal, or none of them."""

    body: Mapping[str, Any] | None = None
    location: str | None = None
    refusal: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Ticket:
    """An `Idempotency-Key`, and a fingerprint of what was asked under it."""

    warehouse: str
    key: str
    fingerprint: str

    @classmethod
    def of(cls, warehouse: str, key: str, *request: bytes) -> Self:
        if not _KEY.fullmatch(key):
            raise BadRequestError("an Idempotency-Key is a UUID in its 36 characters")
        return cls(warehouse, key.lower(), sha256(b"\n".join(request)).hexdigest())

    def check(self, fingerprint: str) -> None:
        if fingerprint != self.fingerprint:
            raise UnprocessableError("this Idempotency-Key was used for another request")


def loaded(location: str, metadata: bytes, terms: Mapping[str, Any] = NO_TERMS) -> bytes:
    """Put an answer around metadata as it was read: nothing of it is parsed."""
    # A location has no character that JSON would write differently, but for these two.
    shown = location.replace("\\", "\\\\").replace('"', '\\"').encode()
    parts = (shown, metadata.strip(), json.dumps(terms).encode()[1:])
    return b'{"metadata-location":"%s","metadata":%s,%s' % parts


def etag(location: str, snapshots: str) -> str:
    return f'W/"{sha256(f"{snapshots} {location}".encode()).hexdigest()[:32]}"'


def matches(if_none_match: str | None, tag: str) -> bool:
    """Whether a client has this version already; weak and strong tags are the same to it."""
    given = {one.strip().removeprefix("W/") for one in (if_none_match or "").split(",")}
    return tag.removeprefix("W/") in given
