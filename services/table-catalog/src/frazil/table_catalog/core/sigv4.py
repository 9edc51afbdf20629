"""Signature Version 4 as Iceberg's clients make it: taken apart, made again, compared. Pure.

Text here is bytes read as Latin-1, one character a byte: what was signed is what came over the
wire, whatever its encoding was meant to be.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Collection, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self
from urllib.parse import parse_qsl, quote

from frazil.table_catalog.core.errors import ForbiddenError, Reason

SKEW = timedelta(minutes=15)
_ALGORITHM = "AWS4-HMAC-SHA256"
_AUTHORIZATION = re.compile(
    rf"{_ALGORITHM} +Credential=(?P<key>[^,\s]+)/(?P<day>[0-9]{{8}})/(?P<region>[^/,\s]+)"
    r"/(?P<service>[^/,\s]+)/aws4_request *, *SignedHeaders=(?P<signed>[^,\s]+)"
    r" *, *Signature=(?P<signature>[0-9a-f]{64})"
)
_DIGEST = "x-amz-content-sha256"
_UNRESERVED = "-_.~"
# What these say decides what is done or what is answered.
_DECIDING = ("idempotency-key", "x-iceberg-", "x-amz-")


@dataclass(frozen=True, slots=True)
class Head:
    """A request without its body; the path as it was sent, names of headers in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """Who a request says it is from, and what that is to be judged by."""

    key_id: str
    day: str
    region: str
    service: str
    signed: tuple[str, ...]
    signature: str

    @classmethod
    def parse(cls, authorization: str) -> Self:
        found = _AUTHORIZATION.fullmatch(authorization.strip())
        if found is None:
            raise ForbiddenError(
                f"the Authorization header is not one of {_ALGORITHM}", Reason.UNSIGNED
            )
        return cls(
            key_id=found["key"],
            day=found["day"],
            region=found["region"],
            service=found["service"],
            signed=tuple(found["signed"].split(";")),
            signature=found["signature"],
        )

    @property
    def scope(self) -> str:
        return f"{self.day}/{self.region}/{self.service}/aws4_request"


def claim_of(
    head: Head, now: datetime, *, services: Container[str], hosts: Collection[str] = ()
) -> Claim:
    """Find all that can be refused before the key is looked up and the body is read.

    Any region will do: it is the client's, and no part of what is decided here. So will any host,
    unless some are given: a request to another server with the same keys is none to this one.
    """
    authorization = head.headers.get("authorization")
    if authorization is None:
        raise ForbiddenError(_why_unsigned(head.query), Reason.UNSIGNED)
    claim = Claim.parse(authorization)
    if claim.service not in services:
        raise ForbiddenError(
            f"the request is signed for another service: {claim.service}", Reason.SERVICE
        )
    _check_date(head.headers.get("x-amz-date", ""), claim, now)
    _check_signed(head, claim)
    if hosts and head.headers["host"].lower() not in hosts:
        raise ForbiddenError(
            f"the request is signed for another host: {head.headers['host']}", Reason.HOST
        )
    return claim


def shown_key(head: Head) -> str | None:
    """Read which key a request names, whether or not the rest of it is any good."""
    found = re.search(r"Credential=([^,/\s]+)/", head.headers.get("authorization", ""))
    return found and found[1]


def stated_digest(head: Head) -> bytes | None:
    """Read the digest of the body, in both spellings; clients may leave it out (PyIceberg)."""
    given = head.headers.get(_DIGEST)
    if given is None:
        return None
    if given.startswith(("UNSIGNED-", "STREAMING-")):
        raise ForbiddenError(f"the body is not signed: {_DIGEST} is {given}", Reason.BODY)
    with suppress(ValueError):
        if re.fullmatch("[0-9a-f]{64}", given):
            return bytes.fromhex(given)
        digest = base64.b64decode(given, validate=True)
        if len(digest) == hashlib.sha256().digest_size:
            return digest
    raise ForbiddenError(f"{_DIGEST} is no digest of SHA-256", Reason.BODY)


def check_body(stated: bytes, digest: bytes) -> None:
    if stated != digest:
        raise ForbiddenError(f"the body is another than the one that {_DIGEST} names", Reason.BODY)


def verify(claim: Claim, head: Head, digest: bytes, *, secret: str) -> None:
    """Raise ForbiddenError unless the owner of the secret signed this, for a body's digest."""
    text = _canonical(claim, head, digest.hex())
    to_sign = [_ALGORITHM, head.headers["x-amz-date"], claim.scope, _sha256(text)]
    expected = _mac(_signing_key(claim, secret), "\n".join(to_sign)).hex()
    if not hmac.compare_digest(expected, claim.signature):
        raise ForbiddenError(
            "the signature does not match: the secret is another, or something between changed "
            "the method, the path, the Host or another signed header",
            Reason.SIGNATURE,
        )


def _why_unsigned(query: str) -> str:
    names = {name.lower() for name, _ in parse_qsl(query, keep_blank_values=True)}
    if "x-amz-signature" in names or "x-amz-credential" in names:
        return "signatures in the query are not taken: the Authorization header has to carry it"
    return "the request is not signed: it has no Authorization header"


def _check_date(stamp: str, claim: Claim, now: datetime) -> None:
    try:
        signed_at = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise ForbiddenError(
            "the request has no x-amz-date such as 20260131T235959Z", Reason.CLOCK
        ) from None
    if not stamp.startswith(claim.day):
        raise ForbiddenError("x-amz-date is of another day than the credential", Reason.CLOCK)
    if abs(now - signed_at) > SKEW:
        raise ForbiddenError(
            f"the request was signed at {stamp}, more than {SKEW.seconds // 60} minutes from now, "
            f"{now:%Y%m%dT%H%M%SZ}",
            Reason.CLOCK,
        )


def _check_signed(head: Head, claim: Claim) -> None:
    if "host" not in claim.signed:
        raise ForbiddenError("the host is not among the signed headers", Reason.SIGNATURE)
    for name in claim.signed:
        if name not in head.headers:
            raise ForbiddenError(f"a signed header is missing: {name}", Reason.SIGNATURE)
    for name in head.headers:
        if name.startswith(_DECIDING) and name not in claim.signed:
            raise ForbiddenError(f"a header that has to be signed is not: {name}", Reason.SIGNATURE)


def _canonical(claim: Claim, head: Head, digest: str) -> str:
    lines = [
        head.method,
        # Encoded once more than sent, as for every service but s3.
        quote(head.path, safe="/" + _UNRESERVED, encoding="latin-1"),
        _canonical_query(head.query),
        *(f"{name}:{_squeezed(head.headers[name])}" for name in claim.signed),
        "",
        ";".join(claim.signed),
        # Iceberg's Java client signs the hex spelling where its header has the Base64 one.
        digest,
    ]
    return "\n".join(lines)


def _canonical_query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True, encoding="latin-1")
    encoded = sorted(
        tuple(quote(part, safe=_UNRESERVED, encoding="latin-1") for part in pair) for pair in pairs
    )
    return "&".join("=".join(pair) for pair in encoded)


def _squeezed(value: str) -> str:
    return re.sub("[ \t]+", " ", value.strip(" \t"))


def _signing_key(claim: Claim, secret: str) -> bytes:
    key = b"AWS4" + secret.encode()
    for part in claim.scope.split("/"):
        key = _mac(key, part)
    return key


def _mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode("latin-1"), "sha256")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("latin-1")).hexdigest()
