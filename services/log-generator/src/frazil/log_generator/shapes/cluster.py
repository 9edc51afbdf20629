"""The cluster that the records tell of: its nodes, releases, buckets, objects and clients."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from random import Random
from typing import Any

from frazil.log_generator.shapes.chance import pick, weighted, zipf
from frazil.log_generator.shapes.golang import rfc3339

Record = dict[str, Any]

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15  # the golden ratio of 2**64: ids look random and never meet
_POOL = 2048


class Generation(IntEnum):
    """Releases of the log library that changed what is on the wire."""

    V4_2_10 = 1
    V4_3_13 = 2
    V4_6_4 = 3
    V4_7_1 = 4
    V4_7_3 = 5

    @property
    def has_timings(self) -> bool:
        return self >= Generation.V4_3_13

    @property
    def has_category(self) -> bool:
        return self >= Generation.V4_3_13

    @property
    def has_action(self) -> bool:
        return Generation.V4_3_13 <= self < Generation.V4_7_3

    @property
    def has_text_claims(self) -> bool:
        return self >= Generation.V4_6_4

    @property
    def has_tables(self) -> bool:
        return self >= Generation.V4_7_1

    @property
    def has_message(self) -> bool:
        return self >= Generation.V4_7_3


@dataclass(frozen=True)
class Node:
    name: str
    generation: Generation


@dataclass(frozen=True)
class Client:
    """Who calls: one account on one host."""

    host: str
    user_agent: str
    access_key: str
    parent_user: str
    claims: Record

    def call_claims(self, generation: Generation) -> Record:
        """Claims in an API record; newer releases render every value to text."""
        if not generation.has_text_claims:
            return self.claims
        return {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in self.claims.items()
        }


# Half of the cluster runs the release that the declared tables were made for.
_RELEASES = (
    *[Generation.V4_2_10] * 1,
    *[Generation.V4_3_13] * 8,
    *[Generation.V4_6_4] * 2,
    *[Generation.V4_7_1] * 2,
    *[Generation.V4_7_3] * 3,
)
# Not more of them: each is a partition, and so a file, of every commit to `apilogs`.
_BUCKETS = (
    *("web-assets", "logs-prod", "images", "backups", "ml-datasets", "analytics", "invoices"),
    *("video-raw", "telemetry", "iot-ingest", "tmp.upload", "archive-2025"),
)
_USER_AGENTS = (
    "MinIO (linux; amd64) minio-go/v7.0.95",
    "MinIO (linux; arm64) minio-py/7.2.16",
    "aws-sdk-java/2.31.6 ua/2.1 os/Linux lang/java#17",
    "Boto3/1.38.1 md/Botocore#1.38.1 ua/2.1 os/linux",
    "aws-cli/2.27.0 md/awscrt#0.26.1",
    "S3FileIO iceberg/1.11.0",
)
_KEYS: tuple[Callable[[Random], str], ...] = (
    lambda rng: f"year=2026/month={rng.randint(1, 12):02d}/part-{rng.randrange(10**5):05d}.parquet",
    lambda rng: f"img/{rng.getrandbits(40):010x}.jpg",
    lambda rng: f"{rng.getrandbits(32):08x}/{rng.getrandbits(64):016x}",
    lambda rng: f"Berichte/Überblick {rng.randint(2020, 2026)}, Q{rng.randint(1, 4)}.pdf",
)


def nodes() -> tuple[Node, ...]:
    return tuple(
        Node(f"node-{n}.minio.example:9000", generation)
        for n, generation in enumerate(_RELEASES, start=1)
    )


def bucket_wheel(rng: Random) -> Callable[[], str]:
    return weighted(rng, zipf(_BUCKETS))


def object_wheel(rng: Random) -> Callable[[], tuple[str, str]]:
    """Return a function that answers a key and a version id, empty where there is none."""
    key = weighted(rng, zip(_KEYS, (60, 25, 14, 1), strict=True))
    return pick(rng, [(key()(rng), _version(rng)) for _ in range(_POOL)])


def _version(rng: Random) -> str:
    if rng.random() > 0.3:
        return ""
    digits = f"{rng.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def clients(rng: Random, count: int = 48) -> tuple[Client, ...]:
    return tuple(_client(rng, number) for number in range(count))


def _client(rng: Random, number: int) -> Client:
    host = f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"
    agent = rng.choice(_USER_AGENTS)
    if number % 3 == 0:  # the root account and plain users carry no token
        return Client(host, agent, f"user-{number:02d}" if number else "minioadmin", "", {})
    key = f"{rng.getrandbits(80):020X}"
    return Client(host, agent, key, f"user-{number - number % 3:02d}", _claims(rng, key))


def _claims(rng: Random, key: str) -> Record:
    claims: Record = {"accessKey": key, "exp": rng.randint(1_790_000_000, 1_900_000_000)}
    extras: tuple[Record, ...] = (
        {},
        {"sub": f"uid:{rng.getrandbits(32):08x}", "groups": ["readers", "writers"]},
        {"iss": "https://sso.example/realms/data", "email_verified": True},
        {"realm_access": {"roles": ["consoleAdmin"]}, "sa-policy": "embedded-policy"},
    )
    return claims | rng.choice(extras)


def request_ids(rng: Random, start_ns: int) -> Callable[[], str]:
    """Return a function that never answers the same id twice.

    The time of start takes part, so that a second run of one seed has ids of its own.
    """
    state = (rng.getrandbits(64) + start_ns) & _MASK

    def next_id() -> str:
        nonlocal state
        state = (state + _STEP) & _MASK
        return f"{state:016X}"

    return next_id


def stamps(rng: Random) -> Callable[[int], str]:
    """Return a function that spells a time, mostly in full and in UTC, as servers do."""
    digits = zip((9, 8, 7, 6, 5, 4, 3, 2, 1, 0), (690, 90, 20, 100, 4, 4, 80, 4, 4, 4), strict=True)
    zones = ((0, 940), (120, 20), (-420, 20), (330, 20))
    style = weighted(
        rng,
        [((d, zone), share * weight) for d, share in digits for zone, weight in zones],
    )
    return lambda when_ns: rfc3339(when_ns, *style())


def without_empty(fields: Record) -> Record:
    """Leave out what is zero or empty, as the servers do: no body means no `rx`, not `rx: 0`."""
    return {name: value for name, value in fields.items() if value}
