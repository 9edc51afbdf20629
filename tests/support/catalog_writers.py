"""Writers that append to one table through several addresses of a catalog, and remember."""

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx

Json = dict[str, Any]


@dataclass
class Memory:
    """What one writer knows: `unsure` are those that may or may not be there."""

    acknowledged: set[int] = field(default_factory=set)
    unsure: set[int] = field(default_factory=set)
    conflicts: int = 0


@dataclass(frozen=True)
class Writer:
    """Commits one snapshot after the other on whatever is current, until told to stop."""

    urls: Sequence[str]
    path: str
    seed: int

    def run(self, enough: Callable[[Memory], bool]) -> Memory:
        memory, chance = Memory(), random.Random(self.seed)  # noqa: S311 (no secret)
        with httpx.Client(timeout=15, trust_env=False) as client:
            while not enough(memory):
                try:
                    self._append(client, chance, memory)
                except httpx.TransportError:
                    # Killed before it could be asked; it comes back.
                    time.sleep(0.05)
        return memory

    def _append(self, client: httpx.Client, chance: random.Random, memory: Memory) -> None:
        url = chance.choice(self.urls) + self.path
        found = client.get(url)
        if found.status_code != 200:
            return
        number = chance.getrandbits(52)
        try:
            answer = client.post(url, json=_change(found.json()["metadata"], number))
        except httpx.ConnectError:
            return
        except httpx.TransportError:
            memory.unsure.add(number)
            return
        if answer.status_code == 200:
            memory.acknowledged.add(number)
        elif answer.status_code == 409:
            memory.conflicts += 1
        else:
            assert answer.status_code >= 500, answer.text
            memory.unsure.add(number)


def _change(metadata: Json, number: int) -> Json:
    parent = metadata.get("current-snapshot-id")
    snapshot = {
        "snapshot-id": number,
        "sequence-number": metadata["last-sequence-number"] + 1,
        "timestamp-ms": time.time_ns() // 1_000_000,
        "manifest-list": f"file:///nowhere/{number}.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    if parent is not None:
        snapshot["parent-snapshot-id"] = parent
    return {
        "requirements": [
            {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": parent},
        ],
        "updates": [
            {"action": "add-snapshot", "snapshot": snapshot},
            {
                "action": "set-snapshot-ref",
                "ref-name": "main",
                "type": "branch",
                "snapshot-id": number,
            },
        ],
    }


def write_side_by_side(writers: Sequence[Writer], enough: Callable[[Memory], bool]) -> list[Memory]:
    with ThreadPoolExecutor(len(writers)) as pool:
        return list(pool.map(lambda writer: writer.run(enough), writers))


def check_chain(metadata: Json, memories: Sequence[Memory]) -> None:
    """All that was acknowledged is there once, nothing else but what is unsure, in one chain."""
    snapshots = metadata["snapshots"]
    numbers = [one["snapshot-id"] for one in snapshots]
    acknowledged = set().union(*(memory.acknowledged for memory in memories))
    unsure = set().union(*(memory.unsure for memory in memories))
    assert len(numbers) == len(set(numbers))
    assert acknowledged <= set(numbers)
    assert set(numbers) <= acknowledged | unsure
    parents = [one.get("parent-snapshot-id") for one in snapshots]
    assert parents == [None, *numbers[:-1]]
    assert [one["sequence-number"] for one in snapshots] == list(range(1, len(snapshots) + 1))
    assert [one["snapshot-id"] for one in metadata["snapshot-log"]] == numbers
    assert metadata["current-snapshot-id"] == numbers[-1]
