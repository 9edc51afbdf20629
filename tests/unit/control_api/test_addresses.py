"""Which addresses of catalogs may be asked: rules as tables of cases."""

import pytest

from frazil.control_api.core.addresses import AddressRefusedError, require_ip, require_url

ALL = ("*",)


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://catalog:8181", ALL),
        ("https://catalog.example.com/_iceberg", ALL),
        ("http://Catalog.example.com./", ("catalog.example.com",)),
        ("http://catalog.example.com", ("*.example.com",)),
        ("https://catalog", ("catalog:443",)),
        ("http://catalog:8181/a%20b", ("other", "catalog:8181")),
        ("http://10.1.2.3:9000", ALL),
        ("http://127.0.0.1:9100/_iceberg", ("*", "127.0.0.1")),
        ("http://localhost:9100", ("*", "localhost:9100")),
        ("http://[::1]:9100", ("::1",)),
        ("http://[::1]:9100", ("[::1]:9100",)),
        ("http://[2001:db8::1]", ALL),
        ("http://catalog:8181/other", ("http://catalog:8181/_iceberg",)),
    ],
)
def test_plain_addresses_of_allowed_hosts_may_be_asked(url: str, hosts: tuple[str, ...]) -> None:
    require_url("uri", url, hosts)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://docker-proxy:2375/containers/x/archive?path=/run&x=", "`\\?` and `#` are refused"),
        ("http://h/a?", "`\\?` and `#`"),
        ("http://h/#", "`\\?` and `#`"),
        ("http://user@h/", "must not have a user"),
        ("http://user:pw@h/", "must not have a user"),
        ("http://@h/", "must not have a user"),
        ("http://good\\@evil/", "characters"),
        ("http://h/a b", "characters"),
        ("http://h/a\tb", "characters"),
        ("http://h/\r\nX: y", "characters"),
        ("http://ⓛocalhost/", "characters"),
        ("file:///etc/passwd", "http or https"),
        ("gopher://h/", "http or https"),
        ("//h/", "http or https"),
        ("", "http or https"),
        ("http://", "http or https"),
        ("http://:80/", "http or https"),
        ("http://h:port/", "no address"),
        ("http://h:99999/", "no address"),
        ("http://[::1/", "no address"),
    ],
)
def test_what_is_more_than_an_address_is_refused(url: str, why: str) -> None:
    with pytest.raises(AddressRefusedError, match=why):
        require_url("uri", url, ALL)


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://other", ("catalog",)),
        ("http://catalog:80", ("catalog:8181",)),
        ("http://catalog.example.com.evil", ("*.example.com",)),
        ("http://catalog", ()),
    ],
)
def test_hosts_that_no_entry_allows_are_refused(url: str, hosts: tuple[str, ...]) -> None:
    with pytest.raises(AddressRefusedError, match="FRAZIL_CATALOG_HOSTS does not allow"):
        require_url("uri", url, hosts)


@pytest.mark.parametrize(
    "ip", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"]
)
def test_this_machine_is_asked_only_under_a_name_that_is_listed(ip: str) -> None:
    with pytest.raises(AddressRefusedError, match="is this machine, which FRAZIL_CATALOG_HOSTS"):
        require_ip("rebind.example", ip, ("*", "localhost", "127.0.0.1"))
    require_ip("catalog", ip, ("catalog:9100",))


@pytest.mark.parametrize(
    "ip",
    [
        "169.254.169.254",
        "169.254.170.2",
        "fe80::1%eth0",
        "::ffff:169.254.169.254",
        "2002:a9fe:a9fe::1",
        "64:ff9b::a9fe:a9fe",
        "fd00:ec2::254",
        "100.100.100.200",
        "0.0.0.0",
        "::",
        "224.0.0.1",
    ],
)
def test_metadata_services_and_the_like_are_never_asked(ip: str) -> None:
    with pytest.raises(AddressRefusedError, match="no catalog can be at"):
        require_ip("catalog", ip, ("*", "catalog"))


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "[::1]", "0.0.0.0"])
def test_an_address_in_digits_is_refused_before_anything_is_asked(host: str) -> None:
    with pytest.raises(AddressRefusedError):
        require_url("uri", f"http://{host}/", ALL)
