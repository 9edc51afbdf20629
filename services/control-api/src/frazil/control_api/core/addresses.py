"""Which addresses that a connector names for its catalog may be asked from here.

Callers name them, so without rules they could ask whatever this process reaches: services of its
own machine, the cloud's metadata service, the engine of containers.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

_SETTING = "FRAZIL_CATALOG_HOSTS"
# Metadata services that do not live at link-local addresses.
_METADATA = frozenset(map(ip_address, ("fd00:ec2::254", "100.100.100.200", "192.0.0.192")))
_NAT64 = ip_network("64:ff9b::/96")


class AddressRefusedError(ValueError):
    """The sentence is for the caller."""


def require_url(name: str, url: str, hosts: Sequence[str]) -> None:
    """Raise AddressRefusedError unless it is a plain address of an allowed host."""
    # Some parsers drop spaces and take backslashes for slashes, others do not.
    if not url.isascii() or not url.isprintable() or any(sign in url for sign in " \\"):
        raise AddressRefusedError(f"`{name}` has characters that no address has")
    if "?" in url or "#" in url:
        raise AddressRefusedError(f"`{name}` must end with its path: `?` and `#` are refused")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise AddressRefusedError(f"`{name}` is no address") from None
    ports = {"http": 80, "https": 443}
    if parts.scheme not in ports or not host:
        raise AddressRefusedError(f"`{name}` must be an address of http or https")
    if "@" in parts.netloc:
        raise AddressRefusedError(f"`{name}` must not have a user: credentials have their own keys")
    require_host(name, host, port or ports[parts.scheme], hosts)


def require_host(name: str, host: str, port: int, hosts: Sequence[str]) -> None:
    """Raise AddressRefusedError unless an entry of the setting allows the host and its port."""
    if not any(_allows(entry, host, port) for entry in hosts):
        raise AddressRefusedError(f"`{name}`: {_SETTING} does not allow {host}:{port}")
    try:
        ip_address(host)
    except ValueError:
        return  # a name: what it resolves to is checked when it is connected to
    require_ip(host, host, hosts)


def require_ip(host: str, ip: str, hosts: Sequence[str]) -> None:
    """Raise AddressRefusedError if no catalog can be at an address that a host resolves to."""
    address = _plain(ip_address(ip.partition("%")[0]))
    if (
        address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or address in _METADATA
    ):
        raise AddressRefusedError(f"no catalog can be at {host}, which is {address}")
    if address.is_loopback and not any(_host_of(entry)[0] == _same(host) for entry in hosts):
        raise AddressRefusedError(f"{host} is this machine, which {_SETTING} does not name")


def _plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that some IPv6 addresses stand for."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _allows(entry: str, host: str, port: int) -> bool:
    pattern, only = _host_of(entry)
    return fnmatchcase(_same(host), pattern) and only in (None, port)


def _host_of(entry: str) -> tuple[str, int | None]:
    """Split `host`, `host:port`, `[::1]:port`, `::1`, or an address that begins with one."""
    entry = entry.rpartition("//")[2].partition("/")[0]
    host, colon, port = entry.rpartition(":")
    if not colon or not port.isdecimal() or (":" in host and not host.endswith("]")):
        return _same(entry), None
    return _same(host), int(port)


def _same(host: str) -> str:
    return host.lower().strip("[]").removesuffix(".")
