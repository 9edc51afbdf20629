"""Requests to S3 that clients want signed: what each would do, and to what. Pure."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit, urlunsplit
from xml.etree import ElementTree

from frazil.table_catalog.core.delegation import Reach
from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.folders import at_or_below
from frazil.table_catalog.core.names import within
from frazil.table_catalog.core.rights import Action

DIGEST = "x-amz-content-sha256"
_UNSIGNED = "UNSIGNED-PAYLOAD"
_PORTS = {"http": 80, "https": 443}

# Queries of which a request to an object may have some: anything else is another operation.
_OBJECT = {
    "GET": (Action.READ, {"partNumber"}),
    "HEAD": (Action.READ, {"partNumber"}),
    "PUT": (Action.WRITE, {"partNumber", "uploadId"}),
    "POST": (Action.WRITE, {"uploads", "uploadId"}),
    "DELETE": (Action.WRITE, {"uploadId"}),
}
_LIST = {
    *("list-type", "prefix", "delimiter", "max-keys", "start-after"),
    *("continuation-token", "encoding-type", "fetch-owner"),
}
# What is not among these may reach beyond the object, such as the source of a copy.
_HEADERS = re.compile(
    "x-amz-(date|content-sha256|checksum-.*|sdk-.*|te|trailer|decoded-content-length|meta-.*|tagging"
    "|storage-class|server-side-encryption.*|expected-bucket-owner|request-payer|mp-object-size)"
)


@dataclass(frozen=True, slots=True)
class S3Request:
    """Names of headers are in lower case; the body is there only where it says what is meant."""

    method: str
    uri: str
    headers: Mapping[str, str]
    body: str | None = None

    @property
    def signed_headers(self) -> dict[str, str]:
        """Choose what S3 wants to be signed; others may change from one attempt to the next."""
        return {
            name: value
            for name, value in self.headers.items()
            if name in ("content-md5", "content-type") or name.startswith("x-amz-")
        }


@dataclass(frozen=True, slots=True)
class Deed:
    """What a request would do to which locations, and the digest that its body has to have."""

    action: Action
    locations: Sequence[str]
    digest: str


def check_request(request: S3Request, reach: Reach, *, endpoints: Container[str]) -> Deed:
    """Raise ForbiddenError unless a request stays within a reach."""
    try:
        deed = _deed_of(request, endpoints)
    except ValueError:
        raise ForbiddenError(f"this cannot be read: {request.uri!r}") from None
    if deed.action is Action.WRITE and reach.action is not Action.WRITE:
        raise ForbiddenError(f"a right to read signs no {request.method}")
    for location in deed.locations:
        if not any(within(location, place) for place in reach.places):
            raise ForbiddenError(f"{location} is not in the table's folders")
        if any(at_or_below(location, folder) for folder in reach.others):
            raise ForbiddenError(f"{location} is in the folder of another table")
    return deed


def origin(uri: str) -> str:
    """Spell scheme, host and port of a URI in one way."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.hostname}:{parts.port or _PORTS.get(parts.scheme)}"


def spelled(uri: str) -> str:
    """Encode a URI as S3 does before it verifies a signature; clients leave more as it is."""
    parts = urlsplit(uri)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in pairs)
    path = quote(unquote(parts.path), safe="/-_.~")
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def _encoded(text: str) -> str:
    return quote(text, safe="-_.~")


def _deed_of(request: S3Request, endpoints: Container[str]) -> Deed:
    parts = urlsplit(request.uri)
    if parts.username is not None or parts.fragment or origin(request.uri) not in endpoints:
        raise ForbiddenError(f"{origin(request.uri)} is not the address of the store")
    for name in request.headers:
        if name.startswith("x-amz-") and not _HEADERS.fullmatch(name):
            raise ForbiddenError(f"requests with the header {name} are not signed")
    query = _query_of(parts)
    bucket, _, key = unquote(parts.path, errors="strict").removeprefix("/").partition("/")
    place = f"s3://{bucket}/{key}"
    deed = _on_object(request, place, query) if key else _on_bucket(request, place, query)
    if deed is None:
        raise ForbiddenError(f"requests such as {request.method} {request.uri} are not signed")
    return deed


def _on_object(request: S3Request, location: str, query: Mapping[str, str]) -> Deed | None:
    action, known = _OBJECT.get(request.method, (None, frozenset()))
    if action is None or query.keys() - known:
        return None
    return Deed(action, [location], request.headers.get(DIGEST, _UNSIGNED))


def _on_bucket(request: S3Request, bucket: str, query: Mapping[str, str]) -> Deed | None:
    if request.method == "POST" and query.keys() == {"delete"}:
        return _deletion(request, bucket)
    if request.method != "GET" or query.get("list-type") != "2" or query.keys() - _LIST:
        return None
    listed = bucket + query.get("prefix", "")
    return Deed(Action.READ, [listed], request.headers.get(DIGEST, _UNSIGNED))


def _query_of(parts: SplitResult) -> dict[str, str]:
    # A plus is a space to some and a plus to others.
    pairs = parse_qsl(parts.query, keep_blank_values=True, errors="strict")
    query = {name: value for name, value in pairs if name != "x-id"}
    if "+" in parts.query or len({name for name, _ in pairs}) < len(pairs):
        raise ForbiddenError(f"the query may mean two things: {parts.query}")
    return query


def _deletion(request: S3Request, bucket: str) -> Deed:
    """Read which objects are to be deleted; the signature is good for this very body."""
    if request.body is None:
        raise ForbiddenError("a deletion of many objects is signed only with its body")
    digest = sha256(request.body.encode()).hexdigest()
    if request.headers.get(DIGEST, digest) != digest:
        raise ForbiddenError(f"the body is another than the one that {DIGEST} names")
    return Deed(Action.WRITE, [bucket + key for key in _keys(request.body)], digest)


def _keys(body: str) -> Iterator[str]:
    # Neither entities nor comments nor CDATA, of which every parser makes its own.
    if "<!" in body:
        raise ForbiddenError("the list of objects to delete has more than elements")
    try:
        listed = ElementTree.fromstring(body)  # noqa: S314 (entities need a declaration)
    except ElementTree.ParseError:
        raise ForbiddenError("the list of objects to delete is no XML") from None
    if _local(listed) != "Delete":
        raise ForbiddenError("the body is not a list of objects to delete")
    for child in listed:
        if _local(child) == "Quiet" and not len(child):
            continue
        if _local(child) != "Object" or [_local(part) for part in child] != ["Key"]:
            raise ForbiddenError("the list of objects to delete has more than their keys")
        if len(child[0]) or not child[0].text:
            raise ForbiddenError("an object to delete has no key")
        yield child[0].text


def _local(element: "ElementTree.Element") -> str:
    return element.tag.rpartition("}")[2]
