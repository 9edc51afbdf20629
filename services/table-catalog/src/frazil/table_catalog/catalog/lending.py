"""Keys of the S3 store for the use of clients: our own, or ones that STS narrows to a reach."""

import re
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from frazil.table_catalog.catalog.s3 import S3Options, asked
from frazil.table_catalog.core.delegation import Reach, session_policy

# MinIO takes any; AWS wants one that is there.
_ANY_ROLE = "arn:aws:iam::000000000000:role/frazil"
_MOST_LENT = 1_000


@dataclass(frozen=True, slots=True)
class Keys:
    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    expires_ms: int | None = None


@dataclass(frozen=True, slots=True)
class StsOptions:
    endpoint: str | None
    role: str | None
    seconds: int


class Lender(Protocol):
    def lend(self, who: str, reach: Reach) -> Keys:
        """Return keys with which somebody may do what his reach allows, or more."""


class OwnKeys:
    def __init__(self, options: S3Options) -> None:
        self._keys = Keys(options.access_key or "", options.secret_key or "")

    def lend(self, who: str, reach: Reach) -> Keys:  # noqa: ARG002 (the same for everybody)
        return self._keys


class Sessions:
    """Asks STS for keys, and lends them again until half of their time is over."""

    def __init__(self, store: S3Options, sts: StsOptions) -> None:
        self._client = store.client("sts", endpoint=sts.endpoint)
        self._role = sts.role or _ANY_ROLE
        self._seconds = sts.seconds
        self._lent: OrderedDict[tuple[str, Reach], Keys] = OrderedDict()
        self._lock = Lock()

    def lend(self, who: str, reach: Reach) -> Keys:
        half_over = (time.time() + self._seconds / 2) * 1000
        with self._lock:
            keys = self._lent.get((who, reach))
        if keys is None or (keys.expires_ms or 0) < half_over:
            keys = self._ask(who, reach)
            with self._lock:
                self._lent[who, reach] = keys
                while len(self._lent) > _MOST_LENT:
                    self._lent.popitem(last=False)
        return keys

    def _ask(self, who: str, reach: Reach) -> Keys:
        answer = asked(
            "keys for a table",
            lambda: self._client.assume_role(
                RoleArn=self._role,
                # The store's log has it.
                RoleSessionName=re.sub(r"[^\w+=,.@-]", "-", f"frazil-{who}", flags=re.ASCII)[:64],
                DurationSeconds=self._seconds,
                Policy=session_policy(reach),
            ),
        )
        lent = answer["Credentials"]
        return Keys(
            lent["AccessKeyId"],
            lent["SecretAccessKey"],
            lent["SessionToken"],
            int(lent["Expiration"].timestamp() * 1000),
        )
