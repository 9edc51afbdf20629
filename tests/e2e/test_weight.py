"""What the larger stack weighs once it has worked, and what it does while it rests."""

import time
from typing import Any

import httpx
import pytest
from tests.support.containers import DUAL, Stack, produce

pytestmark = pytest.mark.parametrize("stack", [DUAL], indirect=True, ids=["dual"])

_GIB = 1024**3
_RESTING_SECONDS = 45.0


def test_all_of_it_takes_less_than_six_gibibytes(stack: Stack) -> None:
    produce(10_000)
    taken = {name: _memory(one) for name, one in _weighed(stack).items()}
    assert sum(taken.values()) < 6 * _GIB, taken


def test_a_connector_at_rest_takes_less_than_a_tenth_of_a_core(quiet: Stack) -> None:
    # What the JVM compiles because of the last records is no rest yet.
    time.sleep(_RESTING_SECONDS)
    before = _weighed(quiet)
    time.sleep(_RESTING_SECONDS)
    after = _weighed(quiet)
    shares = {
        connector: (_nanoseconds(after[name]) - _nanoseconds(before[name])) / 1e9 / _RESTING_SECONDS
        for connector, name in quiet.workers().items()
    }
    assert max(shares.values()) < 0.1, shares


def _weighed(stack: Stack) -> dict[str, Any]:
    """Ask the engine what each container that runs takes."""
    transport = httpx.HTTPTransport(uds="/var/run/docker.sock")
    with httpx.Client(transport=transport, base_url="http://docker", timeout=30) as engine:
        return {
            name: engine.get(f"/containers/{name}/stats?stream=false&one-shot=true").json()
            for name, one in stack.containers().items()
            if one["State"]["Running"]
        }


def _memory(weighed: Any) -> int:
    """As `docker stats` counts: what the kernel could give away at once is not taken."""
    memory = weighed["memory_stats"]
    kept: int = memory["usage"] - memory["stats"].get(
        "total_inactive_file", memory["stats"].get("inactive_file", 0)
    )
    return kept


def _nanoseconds(weighed: Any) -> int:
    used: int = weighed["cpu_stats"]["cpu_usage"]["total_usage"]
    return used
