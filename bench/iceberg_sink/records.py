"""The records of the benchmark, as endless streams of JSON."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count

from frazil.contracts.log_topics import Topic
from frazil.log_generator.source import Source

FIELDS = 200
_CHUNK = 1000
# Knuth's multiplier scatters consecutive numbers, the same way in each run.
_SCATTER = 2_654_435_761
_ODD_EVERY = 100


def wide() -> Iterator[bytes]:
    """Generate API logs: about 860 bytes, nested, with maps."""
    source = Source(Topic.API, seed=7, start_ns=time.time_ns())
    while True:
        yield from source.take(_CHUNK, time.time_ns)


def odd() -> Iterator[bytes]:
    """Generate API logs, each hundredth with a number for a text: Connect writes its digits."""
    for number, value in enumerate(wide()):
        odd = number % _ODD_EVERY == 0
        yield value.replace(b'"version":"1"', b'"version":1', 1) if odd else value


def narrow() -> Iterator[bytes]:
    for number, fields in enumerate(_narrow_fields()):
        yield f'{{"id":{1_000_000_000 + number},{fields}}}'.encode()


def routed(tables: list[str]) -> Iterator[bytes]:
    """Generate narrow records that name their table, each table in turn."""
    for number, fields in enumerate(_narrow_fields()):
        table = tables[number % len(tables)]
        yield f'{{"table":"{table}","id":{1_000_000_000 + number},{fields}}}'.encode()


def _narrow_fields() -> Iterator[str]:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    for number in count():
        some = number * _SCATTER % 2**32
        yield (
            f'"ts":"{now}.{some % 10**6:06d}Z",'
            f'"user_id":{100_000 + some % 900_000},"event":"page_view",'
            f'"value":{100 + some % 900}.{some % 90 + 10},'
            f'"page":"/products/{some % 10**5:05d}/detail/view"'
        )


def many_fields() -> Iterator[bytes]:
    """Generate records of 200 fields: a quarter texts, longs, doubles and booleans each."""
    kinds: tuple[Callable[[int], str], ...] = (
        lambda some: f'"text {some % 10**5:05d}"',
        str,
        lambda some: f"{some % 10**4}.{some % 90 + 10}",
        lambda some: "true" if some % 2 else "false",
    )
    # Each column takes its values from a pool at its own pace, which is fast to generate.
    pools = [
        [kinds[at % 4](n * (at + 1) * _SCATTER % 2**32) for n in range(997)] for at in range(FIELDS)
    ]
    heads = [f'"{field_name(at)}":' for at in range(FIELDS)]
    for number in count():
        cells = (
            head + pool[number * (at + 1) % 997]
            for at, (head, pool) in enumerate(zip(heads, pools, strict=True))
        )
        yield ("{" + ",".join(cells) + "}").encode()


def field_name(at: int) -> str:
    return f"field_{at:03}"
