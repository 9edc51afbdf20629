"""Error records: a message that fits its API, and now and then a trace."""

from dataclasses import dataclass
from random import Random

from frazil.log_generator.shapes.chance import pick, weighted
from frazil.log_generator.shapes.cluster import (
    Node,
    Record,
    bucket_wheel,
    nodes,
    object_wheel,
    request_ids,
    stamps,
)


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong; without an API it happens in the background."""

    message: str
    apis: tuple[str, ...]
    weight: float
    source: tuple[str, ...] = ()
    names_object: bool = False


FAULTS = (
    Fault(
        "The specified key does not exist.",
        ("s3.GetObject", "s3.HeadObject", "s3.CopyObject"),
        30,
        names_object=True,
    ),
    Fault(
        "The specified bucket does not exist",
        ("s3.ListObjectsV2", "s3.PutObject", "s3.GetBucketLocation"),
        16,
        ("api-errors.go:150", "bucket-handlers.go:420"),
    ),
    Fault("Access Denied.", ("s3.GetObject", "s3.PutObject", "admin.ServerInfo"), 18),
    Fault(
        "Resource requested is unreadable, please reduce your request rate",
        ("s3.GetObject", "s3.PutObject"),
        8,
        ("erasure-object.go:312", "erasure-server-pool.go:871", "object-handlers.go:402"),
        names_object=True,
    ),
    Fault("context deadline exceeded", ("s3.PutObject", "s3.ListObjectsV2"), 10),
    Fault(
        "The security token included in the request is invalid",
        ("sts.AssumeRole", "sts.AssumeRoleWithWebIdentity"),
        6,
    ),
    Fault(
        "drive /data3 is offline: lstat /data3: input/output error",
        ("",),
        5,
        ("xl-storage-disk-id-check.go:233", "erasure-sets.go:198"),
    ),
    Fault("Storage reached its minimum free drive threshold.", ("s3.PutObject",), 4),
    Fault(
        "unable to replicate: remote target is offline: “dr-site”", ("",), 3, ("replication.go:77",)
    ),
)


class ErrorLog:
    """Answers error records; `message` and `apiName` are always there, if need be empty."""

    def __init__(self, *, world: Random, rng: Random, start_ns: int) -> None:
        self._fault = weighted(rng, ((fault, fault.weight) for fault in FAULTS))
        self._api = {fault: pick(rng, fault.apis) for fault in FAULTS}
        self._node = pick(rng, nodes())
        self._bucket = bucket_wheel(rng)
        self._object = object_wheel(world)
        self._stamp = stamps(rng)
        self._id = request_ids(rng, start_ns)

    def __call__(self, when_ns: int) -> Record:
        node: Node = self._node()
        fault = self._fault()
        api = self._api[fault]()
        record: Record = {
            "version": "1",
            "node": node.name,
            "time": self._stamp(when_ns),
            "message": fault.message,
            "apiName": api,
        }
        place = {"bucket": self._bucket()} if api.startswith("s3.") else {}
        if fault.names_object:
            place["object"] = self._object()[0]
        if fault.source:
            trace: Record = {"source": fault.source}
            record["trace"] = trace | {"variables": place} if place else trace
        record["tags"] = {"requestID": self._id(), **place}
        return record
