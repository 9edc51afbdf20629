"""Requests from the machine that this container runs on, told by the address they come from.

A port that is published on the machine's loopback is reached by that machine alone, and Docker
hands its connections on from the gateway of the container's network. Containers have other
addresses, and no way to that port.
"""

import asyncio
import sys
from ipaddress import IPv4Address
from pathlib import Path

from starlette.types import Scope

_ROUTES = Path("/proc/net/route")
_IS_GATEWAY = 0x2


async def from_host(scope: Scope) -> bool:
    """Tell whether the peer is the default gateway, looked up anew: networks come and go."""
    peer = scope.get("client")
    routes = await asyncio.to_thread(_ROUTES.read_text, encoding="ascii")
    return peer is not None and peer[0] == default_gateway(routes)


def default_gateway(routes: str) -> str | None:
    """Find it in the kernel's table of routes of IPv4, as `/proc/net/route` has it."""
    for line in routes.splitlines()[1:]:
        _, destination, gateway, flags, _, _, _, mask, *_ = line.split()
        if int(destination, 16) == int(mask, 16) == 0 and int(flags, 16) & _IS_GATEWAY:
            return str(IPv4Address(int(gateway, 16).to_bytes(4, sys.byteorder)))
    return None
