"""What clients are told with a table, so that they can open its files without keys of their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frazil.table_catalog.catalog.lending import Keys, Lender
from frazil.table_catalog.core.answers import NO_TERMS
from frazil.table_catalog.core.delegation import Delegation, Reach
from frazil.table_catalog.core.rights import Action

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Delegate:
    """Gives keys if there is a lender of keys, and has requests signed if that is allowed."""

    region: str
    # Where clients find the store; AWS's own if not set.
    endpoint: str | None
    lender: Lender | None
    signs: bool

    @property
    def kinds(self) -> frozenset[str]:
        """Name what may be asked for with effect."""
        offers = {Delegation.CREDENTIALS: self.lender is not None, Delegation.SIGNING: self.signs}
        return frozenset(kind for kind, offered in offers.items() if offered)

    def terms(
        self, kinds: frozenset[str], who: str, reach: Reach | None, *, path: str
    ) -> Mapping[str, Any]:
        """Say what an answer about a table has besides; `path` is the table's own."""
        if reach is None:
            return NO_TERMS
        vended = self._vended(who, reach, path) if Delegation.CREDENTIALS in kinds else {}
        if vended:
            return {"config": vended, "storage-credentials": _at(reach, vended)}
        if Delegation.SIGNING in kinds:
            return {"config": self._store | _signer(f"{path}/sign")}
        return NO_TERMS

    def credentials(self, who: str, reach: Reach | None, *, path: str) -> Json:
        vended = self._vended(who, reach, path) if reach else {}
        return {"storage-credentials": _at(reach, vended) if reach and vended else []}

    def _vended(self, who: str, reach: Reach, path: str) -> dict[str, str]:
        keys = self.lender.lend(who, reach) if self.lender else None
        # What nothing narrows would let readers write.
        if keys is None or (keys.token is None and reach.action is not Action.WRITE):
            return {}
        return self._store | _properties(keys, refresh=f"{path}/credentials")

    @property
    def _store(self) -> dict[str, str]:
        endpoint = {"s3.endpoint": self.endpoint} if self.endpoint else {}
        return {
            "s3.region": self.region,
            "client.region": self.region,
            "s3.path-style-access": "true",
            **endpoint,
        }


def _at(reach: Reach, config: Mapping[str, str]) -> list[Json]:
    return [{"prefix": place, "config": config} for place in reach.places]


def _signer(path: str) -> dict[str, str]:
    # The first for PyIceberg and for Java before 1.11; from 1.12 on Java needs neither.
    endpoints = {"s3.signer.endpoint": path, "signer.endpoint": path}
    return {"s3.remote-signing-enabled": "true", **endpoints}


def _properties(keys: Keys, *, refresh: str) -> dict[str, str]:
    own = {"s3.access-key-id": keys.access_key, "s3.secret-access-key": keys.secret_key}
    if keys.token is None:
        return own
    return {
        **own,
        "s3.session-token": keys.token,
        "s3.session-token-expires-at-ms": str(keys.expires_ms),
        "client.refresh-credentials-endpoint": refresh,
    }
