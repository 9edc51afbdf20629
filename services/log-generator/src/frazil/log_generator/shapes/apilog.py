"""API records: one a call, with the timing, sizes and status that this kind of call has."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from random import Random

from frazil.log_generator.shapes.chance import nested, pick, weighted
from frazil.log_generator.shapes.cluster import (
    Client,
    Generation,
    Node,
    Record,
    bucket_wheel,
    clients,
    nodes,
    object_wheel,
    request_ids,
    stamps,
    without_empty,
)
from frazil.log_generator.shapes.golang import SPELLINGS

_SAMPLES = 128
_MS = 1_000_000


class Scope(IntEnum):
    ACCOUNT = 0
    BUCKET = 1
    OBJECT = 2


@dataclass(frozen=True)
class Api:
    """One API name and how its calls behave; latency is log-normal around its median."""

    name: str
    type: str
    scope: Scope
    weight: float
    median_ms: float
    spread: float
    error_rate: float
    ok: int = 200
    rx: int = 0
    tx: int = 0


APIS = (
    Api("s3.GetObject", "object", Scope.OBJECT, 38, 9, 0.9, 0.02, tx=180_000),
    Api("s3.PutObject", "object", Scope.OBJECT, 21, 24, 1.0, 0.01, rx=240_000),
    Api("s3.HeadObject", "object", Scope.OBJECT, 14, 1.5, 0.5, 0.08),
    Api("s3.ListObjectsV2", "bucket", Scope.BUCKET, 9, 35, 1.1, 0.005, tx=60_000),
    Api("s3.DeleteObject", "object", Scope.OBJECT, 5, 6, 0.6, 0.01, ok=204),
    Api("s3.CompleteMultipartUpload", "object", Scope.OBJECT, 3, 160, 1.2, 0.03, rx=2_000, tx=400),
    Api("s3.GetBucketLocation", "bucket", Scope.BUCKET, 3, 0.8, 0.4, 0.002, tx=130),
    Api("s3.ListBuckets", "bucket", Scope.ACCOUNT, 2, 2.5, 0.5, 0.01, tx=2_500),
    Api("sts.AssumeRole", "auth", Scope.ACCOUNT, 3, 12, 0.7, 0.06, rx=300, tx=1_400),
    Api("admin.ServerInfo", "admin", Scope.ACCOUNT, 1.5, 55, 0.8, 0.01, tx=9_000),
    # A type that no list of types has: what comes after us will not ask.
    Api("s3vectors.QueryVectors", "vector", Scope.BUCKET, 0.2, 18, 0.6, 0.01, rx=6_000, tx=3_000),
)
TABLE_APIS = (
    Api("table.LoadTable", "table", Scope.BUCKET, 3, 14, 0.7, 0.01, tx=12_000),
    Api("table.UpdateTable", "table", Scope.BUCKET, 1, 60, 0.9, 0.04, rx=5_000, tx=12_000),
)
ERRORS: dict[Scope, tuple[tuple[int, float], ...]] = {
    Scope.OBJECT: ((404, 70), (403, 18), (412, 5), (503, 5), (500, 2)),
    Scope.BUCKET: ((404, 45), (403, 45), (503, 8), (500, 2)),
    Scope.ACCOUNT: ((403, 70), (400, 25), (503, 5)),
}
_ERROR_BODY = 330
_ORIGINS = (
    *(("client", 940), ("replicate", 20), ("site-replication", 8), ("ilm", 12), ("batch", 6)),
    *(("heal", 6), ("rebalance", 3), ("decommission", 2), ("tiering", 2)),
)
_TAGS: tuple[tuple[Record, float], ...] = (
    ({}, 80),
    ({"team": "growth", "env": "prod"}, 12),
    ({"env": "dev"}, 6),
    ({"retention": ""}, 2),
)
_QUERIES = {
    "s3.ListObjectsV2": {"list-type": "2", "prefix": "year=2026/", "max-keys": "1000"},
    "s3.CompleteMultipartUpload": {"uploadId": "ZGVwbG95bWVudC1pZA"},
    "s3.GetBucketLocation": {"location": ""},
}


class ApiLog:
    """Answers API records; nearly all of a record is drawn from samples made beforehand."""

    def __init__(self, *, world: Random, rng: Random, start_ns: int) -> None:
        self._bucket = bucket_wheel(rng)
        self._object = object_wheel(world)
        self._node = pick(rng, nodes())
        self._origin = weighted(rng, _ORIGINS)
        self._tags = weighted(rng, ((tags, share) for tags, share in _TAGS))
        self._stamp = stamps(rng)
        self._id = request_ids(rng, start_ns)
        callers = clients(world)
        self._calls = {
            generation: _call_wheel(rng, callers, generation) for generation in Generation
        }

    def __call__(self, when_ns: int) -> Record:
        node: Node = self._node()
        api, sample = self._calls[node.generation]()
        record: Record = {
            "version": "1",
            "time": self._stamp(when_ns),
            "node": node.name,
            "origin": self._origin(),
            "type": api.type,
            "name": api.name,
        }
        info = sample.copy()
        info["requestID"] = self._id()
        info["requestPath"] = self._place(record, api.scope)
        if tags := self._tags():
            record["tags"] = tags
        record["callInfo"] = info
        return record

    def _place(self, record: Record, scope: Scope) -> str:
        """Say in the record what was touched, and return the path of it."""
        if scope is Scope.ACCOUNT:
            return "/"
        bucket = record["bucket"] = self._bucket()
        if scope is Scope.BUCKET:
            return f"/{bucket}/"
        key, version = self._object()
        record["object"] = key
        if version:
            record["versionId"] = version
        return f"/{bucket}/{key}"


def _call_wheel(
    rng: Random, callers: tuple[Client, ...], generation: Generation
) -> Callable[[], tuple[Api, Record]]:
    spelling = weighted(rng, SPELLINGS)

    def spell(ns: int) -> str:
        chosen = spelling()
        return chosen(ns)

    def samples(api: Api) -> list[tuple[Api, Record]]:
        return [
            (api, _sample(rng, api, generation, client=rng.choice(callers), spell=spell))
            for _ in range(_SAMPLES)
        ]

    apis = APIS + (TABLE_APIS if generation.has_tables else ())
    return nested(rng, [(pick(rng, samples(api)), api.weight) for api in apis])


def _sample(
    rng: Random,
    api: Api,
    generation: Generation,
    *,
    client: Client,
    spell: Callable[[int], str],
) -> Record:
    """One `callInfo`, complete but for the two fields that differ from call to call."""
    failed = rng.random() < api.error_rate
    status = weighted(rng, ERRORS[api.scope])() if failed else api.ok
    body = _body(rng, api, failed=failed)
    timings = {name: spell(ns) for name, ns in _timings(rng, api, generation).items() if ns}
    return {
        "httpStatusCode": status,
        **without_empty(body),
        **timings,
        "sourceHost": client.host,
        "requestID": "",
        "userAgent": client.user_agent,
        "requestPath": "",
        "requestHost": "s3.example:9000",
        **without_empty(
            {
                "requestClaims": client.call_claims(generation),
                "requestQuery": _QUERIES.get(api.name),
                "requestHeader": {"Accept-Encoding": "identity", "Content-Length": str(body["rx"])},
                "responseHeader": {"Content-Length": str(body["tx"]), "Server": "MinIO"},
                "accessKey": client.access_key,
                "parentUser": client.parent_user,
            }
        ),
    }


def _body(rng: Random, api: Api, *, failed: bool) -> dict[str, int]:
    sent = api.tx and int(api.tx * rng.lognormvariate(0, 1.2))
    if failed and api.name != "s3.HeadObject":
        sent = _ERROR_BODY + rng.randrange(60)
    received = api.rx and int(api.rx * rng.lognormvariate(0, 1.2))
    return {"rx": received, "tx": sent, "txHeaders": rng.randrange(260, 420)}


def _timings(rng: Random, api: Api, generation: Generation) -> dict[str, int]:
    total = int(api.median_ms * _MS * rng.lognormvariate(0, api.spread))
    if api.rx and rng.random() < 0.002:  # a client that went to sleep while it was sending
        total += rng.randrange(60_000 * _MS, 7_200_000 * _MS)
    first_byte = int(total * rng.uniform(0.3, 0.95))
    if not generation.has_timings:
        return {"timeToFirstByte": first_byte, "timeToResponse": total}
    reading = int(first_byte * rng.uniform(0.1, 0.9)) if api.rx else 0
    writing = int((total - first_byte) * rng.uniform(0.2, 0.9)) if api.tx else 0
    return {
        "timeToFirstByte": first_byte,
        "requestReadTime": reading,
        "responseWriteTime": writing,
        "requestTime": total + rng.randrange(20_000),
        "timeToResponse": total,
        "readBlocked": int(reading * rng.random()) if rng.random() < 0.5 else 0,
        "writeBlocked": int(writing * rng.random()) if rng.random() < 0.5 else 0,
    }
