"""Signed requests for tests: recorded ones of real clients, and ones that botocore signs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from frazil.table_catalog.core.sigv4 import Head

KEY_ID = "writer"
SECRET = "a secret for tests: ü"  # noqa: S105
HOST = "catalog.test:9100"


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as the server gets it."""

    head: Head
    body: bytes = b""

    @property
    def signed_at(self) -> datetime:
        stamp = self.head.headers["x-amz-date"]
        return datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)

    def with_head(self, **changes: object) -> Self:
        return replace(self, head=replace(self.head, **changes))  # type: ignore[arg-type]

    def with_headers(self, **changes: str | None) -> Self:
        """Change headers, whose dashes are underscores here; None takes one away."""
        named = {name.replace("_", "-"): value for name, value in changes.items()}
        headers = {**self.head.headers, **named}
        return self.with_head(
            headers={name: value for name, value in headers.items() if value is not None}
        )


def sign(
    method: str,
    path: str,
    *,
    query: str = "",
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    key_id: str = KEY_ID,
    secret: str = SECRET,
    service: str = "s3tables",
    region: str = "us-east-1",
    host: str = HOST,
) -> Sent:
    """Sign by hand, as scripts do: whatever is given, Host and the date; dated now."""
    url = f"http://{host}{path}" + (f"?{query}" if query else "")
    request = AWSRequest(method, url, dict(headers or {}), body)
    SigV4Auth(Credentials(key_id, secret), service, region).add_auth(request)
    sent = {name.lower(): value for name, value in request.headers.items()}
    return Sent(Head(method, path, query, {"host": host, **sent}), body)


@dataclass(frozen=True, slots=True)
class Recording:
    client: str
    key_id: str
    secret: str
    requests: tuple[Sent, ...]


def recordings(folder: Path) -> Iterator[Recording]:
    for file in sorted(folder.glob("*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        requests = tuple(
            Sent(
                Head(one["method"], one["path"], one["query"], one["headers"]),
                one["body"].encode(),
            )
            for one in document["requests"]
        )
        yield Recording(document["client"], document["key_id"], document["secret"], requests)
