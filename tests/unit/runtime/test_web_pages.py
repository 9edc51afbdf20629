"""What a web page makes a browser send is refused, and what everybody else sends is not."""

from collections.abc import Mapping, MutableMapping
from typing import Any

import pytest
from structlog.testing import capture_logs

from frazil.runtime.web_pages import AllowedHosts, WebPages, names_of_this_machine

Message = MutableMapping[str, Any]
EVIL = "http://evil.example"
CONSOLE = "https://console.corp.example"


class TestNames:
    @pytest.mark.parametrize(
        "host",
        [
            "127.0.0.1:8083",
            "10.1.2.3",
            "127.1:8083",
            "[::1]:8083",
            "[fe80::1]",
            "localhost:8083",
            "LOCALHOST.",
            "connect.localhost:8083",
            "kafka-connect:8083",
            "kafka_connect",
            "connect.kafka.svc:8083",
            "connect.kafka.svc.cluster.local:8083",
            "host.docker.internal:8083",
            "connect.corp.example",
            "CONNECT.corp.example.:8083",
            "any.thing.lake.example",
        ],
    )
    def test_that_nobody_else_can_own_are_allowed(self, host: str) -> None:
        assert AllowedHosts(["Connect.corp.example", "*.lake.example"]).allow(host)

    @pytest.mark.parametrize(
        "host",
        [
            "rebind.attacker.example",
            "rebind.attacker.example:8083",
            "rebind.attacker.example.",
            "connect.corp.example.attacker.example",
            "xconnect.corp.example",
            "lake.example",
            "evil-lake.example",
            "localhost.attacker.example",
            "127.0.0.1.attacker.example",
            "internal.example",
            "kafka.local",
            "[::1].attacker.example",
            "user@localhost",
            "localhost/x",
            "localhost:80:80",
            "localhost:x",
            "localhost, localhost",
            "local host",
            "[::1",
            ":8083",
        ],
    )
    def test_that_a_page_can_have_made_up_are_not(self, host: str) -> None:
        assert not AllowedHosts(["connect.corp.example", "*.lake.example"]).allow(host)

    def test_of_this_machine_are_allowed_as_dns_and_its_neighbours_call_it(self) -> None:
        allowed = AllowedHosts(names_of_this_machine())
        assert all(map(allowed.allow, names_of_this_machine()))

    def test_may_be_all_by_a_star(self) -> None:
        assert AllowedHosts(["*"]).allow("rebind.attacker.example")


async def asked(
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    *,
    checks: bool = True,
    version: str = "1.1",
) -> tuple[bool, str]:
    """Return whether a request gets through, and else why not."""
    heard: list[str] = []

    async def app(_scope: Message, _receive: Any, _send: Any) -> None:
        heard.append("")

    def refuse(why: str) -> Any:
        async def answer(_scope: Message, _receive: Any, _send: Any) -> None:
            heard.append(why)

        return answer

    pages = WebPages(
        app,
        hosts=AllowedHosts(["connect.corp.example"]) if checks else None,
        refuse=refuse,
        allows_origin=lambda origin: origin == CONSOLE,
    )
    given = {"host": "localhost:8083", **(headers or {})}
    scope = {
        "type": "http",
        "method": method,
        "path": "/connectors",
        "http_version": version,
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value],
    }
    with capture_logs() as lines:
        await pages(scope, None, None)  # type: ignore[arg-type]
    (why,) = heard
    assert [line["event"] for line in lines] == (["web_page_refused"] if why else [])
    return not why, why


class TestRebinding:
    @pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "BREW"])
    async def test_a_name_of_somebody_else_is_refused_with_what_to_do(self, method: str) -> None:
        through, why = await asked(method, {"host": "rebind.attacker.example:8083"})
        assert not through
        assert '"rebind.attacker.example:8083" is not known as a name of this server' in why
        assert "name it in FRAZIL_ALLOWED_HOSTS" in why

    async def test_what_a_proxy_adds_does_not_count(self) -> None:
        through, _ = await asked("GET", {"host": "evil.example", "x-forwarded-host": "localhost"})
        assert not through
        through, _ = await asked("GET", {"host": "localhost", "x-forwarded-host": "evil.example"})
        assert through

    @pytest.mark.parametrize("version", ["1.0", "1.1"])
    async def test_a_request_without_a_host_is_no_browsers(self, version: str) -> None:
        assert (await asked("POST", {"host": ""}, version=version))[0]

    async def test_where_callers_show_who_they_are_any_name_will_do(self) -> None:
        assert (await asked("POST", {"host": "ingress.corp.example"}, checks=False))[0]


class TestRequestsOfOtherSites:
    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "BREW"])
    @pytest.mark.parametrize(
        "headers",
        [
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"sec-fetch-site": "something-new"},
            {"sec-fetch-site": "cross-site", "origin": "http://localhost:8083"},
            {"origin": EVIL},
            {"origin": "null"},
            {"origin": "http://localhost:9999"},
            {"origin": "http://localhost:8083.evil.example"},
            {"origin": "http://["},
        ],
    )
    @pytest.mark.parametrize("checks", [True, False])
    async def test_change_nothing_whether_callers_are_known_or_not(
        self, method: str, headers: dict[str, str], checks: bool
    ) -> None:
        through, why = await asked(method, headers, checks=checks)
        assert not through
        assert "has sent this, and such a page may change nothing here" in why

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"sec-fetch-site": "same-origin"},
            {"sec-fetch-site": "none"},
            {"origin": "http://localhost:8083"},
            {"origin": "https://LOCALHOST:8083"},
            # A proxy has changed the host on the way.
            {"sec-fetch-site": "same-origin", "origin": "https://connect.public.example"},
            {"sec-fetch-site": "cross-site", "origin": CONSOLE},
            {"origin": CONSOLE},
        ],
    )
    async def test_of_our_own_pages_of_allowed_ones_and_of_programs_get_through(
        self, headers: dict[str, str]
    ) -> None:
        assert (await asked("POST", headers))[0]

    @pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
    async def test_may_read_what_their_browser_will_not_show_them(self, method: str) -> None:
        assert (await asked(method, {"origin": EVIL, "sec-fetch-site": "cross-site"}))[0]


async def test_what_is_no_request_gets_through() -> None:
    heard = []

    async def app(scope: Message, _receive: Any, _send: Any) -> None:
        heard.append(scope["type"])

    pages = WebPages(app, hosts=AllowedHosts([]), refuse=lambda _why: app)
    await pages({"type": "lifespan"}, None, None)  # type: ignore[arg-type]
    assert heard == ["lifespan"]
