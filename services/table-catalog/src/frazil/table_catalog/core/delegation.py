"""Access to files that comes with a table: what clients ask for, and how far it may reach. Pure."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from frazil.table_catalog.core.folders import owner_of
from frazil.table_catalog.core.names import within
from frazil.table_catalog.core.rights import Action, Principal

_READING = ("s3:GetObject",)
_WRITING = (
    "s3:PutObject",
    "s3:DeleteObject",
    "s3:AbortMultipartUpload",
    "s3:ListMultipartUploadParts",
)
# In a policy these would stand for other names than their own.
_WILD = re.compile(r"[*?$]")


class Lending(StrEnum):
    """Which keys are used on behalf of clients."""

    OFF = "off"
    SESSION = "session"
    KEYS = "keys"


class Delegation(StrEnum):
    CREDENTIALS = "vended-credentials"
    SIGNING = "remote-signing"


@dataclass(frozen=True, slots=True)
class Reach:
    """The folders of a table, and what somebody may do in them; not in those of others."""

    action: Action
    places: tuple[str, ...]
    others: tuple[str, ...] = ()


def asked_for(header: str | None) -> frozenset[str]:
    return frozenset(kind.strip() for kind in (header or "").split(","))


def reach_of(
    principal: Principal, warehouse: str, *, root: str, places: Sequence[str]
) -> Reach | None:
    """Find how far a caller may reach with a table.

    A table says itself where its folders are, so a right to its namespace is not enough: another
    table might be there. He needs a right to the namespace that the folder above is named like.
    """
    if any(_WILD.search(place) or not within(place, root) for place in places):
        return None
    owners = [owner_of(place, root) for place in places]
    for action in (Action.WRITE, Action.READ):
        if all(principal.may(action, warehouse, owner) for owner in owners):
            return Reach(action, tuple(place.rstrip("/") for place in places))
    return None


def reach_beside(principal: Principal, warehouse: str, *, root: str, place: str) -> Reach | None:
    """Find how far a caller may reach without a table: to all that is in the folder of one.

    He may do that with the tables that are there, so it gives him nothing that he does not have.
    """
    reach = reach_of(principal, warehouse, root=root, places=[place])
    folder = place.rpartition("/")[0]
    return Reach(reach.action, (folder,)) if reach and within(folder, root) else reach


def session_policy(reach: Reach) -> str:
    """Write down the reach for STS, which takes everything else away."""
    folders = [place.partition("://")[2] for place in reach.places]
    buckets = sorted({folder.partition("/")[0] for folder in folders})
    actions = _READING + (_WRITING if reach.action is Action.WRITE else ())
    objects = {
        "Effect": "Allow",
        "Action": actions,
        "Resource": [f"arn:aws:s3:::{folder}/*" for folder in folders],
    }
    lists = {
        "Effect": "Allow",
        "Action": ["s3:ListBucket"],
        "Resource": [f"arn:aws:s3:::{bucket}" for bucket in buckets],
        "Condition": {
            "StringLike": {"s3:prefix": [f"{folder.partition('/')[2]}/*" for folder in folders]}
        },
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [objects, lists]})
