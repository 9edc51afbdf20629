"""How long an address has to wait after wrong passwords. Pure: the time is given."""

from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address

# People mistype; from then on the delay doubles.
_FREE = 3
_MOST_SECONDS = 30.0
_FORGOTTEN_AFTER = 15 * 60.0
_MOST_ADDRESSES = 10_000


@dataclass(frozen=True, slots=True)
class _Failures:
    count: int
    last: float


@dataclass
class Guesses:
    """Failures by address, the latest last; `most` of them, so that nobody can fill the memory."""

    most: int = _MOST_ADDRESSES
    _failures: dict[str, _Failures] = field(default_factory=dict)

    def delay(self, address: str, now: float) -> float:
        """Return the seconds until the address may try again; 0 is now."""
        failures = self._known(_network(address), now)
        if failures is None or failures.count <= _FREE:
            return 0.0
        # Not a power of everything: it would become too large for a float.
        seconds = min(2.0 ** min(failures.count - _FREE - 1, 10), _MOST_SECONDS)
        return max(0.0, failures.last + seconds - now)

    def failed(self, address: str, now: float) -> None:
        network = _network(address)
        before = self._known(network, now)
        self._failures.pop(network, None)
        self._failures[network] = _Failures(1 + (before.count if before else 0), now)
        if len(self._failures) > self.most:
            del self._failures[next(iter(self._failures))]

    def _known(self, network: str, now: float) -> _Failures | None:
        found = self._failures.get(network)
        return found if found is not None and now - found.last < _FORGOTTEN_AFTER else None


def _network(address: str) -> str:
    """Return what a caller cannot change at will: of IPv6 everybody has 2**64 addresses."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    return str(found.ipv4_mapped) if found.ipv4_mapped else found.exploded[:19]
