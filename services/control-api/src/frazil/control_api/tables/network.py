"""Names of hosts, resolved to addresses that may be asked and to no others."""

import socket
from collections.abc import Sequence
from typing import Any

from frazil.control_api.core.addresses import AddressRefusedError, require_ip

_resolve = socket.getaddrinfo


def confine(hosts: Sequence[str]) -> None:
    """Let this process connect to checked addresses only, for as long as it lives.

    Every HTTP library here asks `socket` for the addresses of a host and connects to what it is
    given, so a name that resolves to something else a moment later gains nothing.
    """

    def checked(host: str | bytes | None, *rest: Any, **more: Any) -> list[tuple[Any, ...]]:
        found = _resolve(host, *rest, **more)
        name = host.decode() if isinstance(host, bytes) else host or ""
        for *_, address in found:
            require_ip(name, str(address[0]), hosts)
        return list(found)

    socket.getaddrinfo = checked


def resolve(host: str, hosts: Sequence[str]) -> list[str]:
    """Return the addresses of a host, for libraries that do not ask `socket`."""
    try:
        found = _resolve(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise AddressRefusedError(f"{host} has no address") from error
    addresses = [str(address[0]) for *_, address in found]
    for address in addresses:
        require_ip(host, address, hosts)
    return addresses
