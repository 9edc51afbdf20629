"""Who is let in by an address: the machine of the container, through its loopback, and no other."""

import asyncio
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from tests.support.access import CREDENTIALS, READER, WRITER

from frazil.control_api.api import from_host
from frazil.control_api.api.access import Access
from frazil.control_api.api.from_host import default_gateway
from frazil.control_api.api.gatekeeper import Gatekeeper
from frazil.control_api.app import create_app
from frazil.control_api.settings import Settings

# As a container in two networks has it, on a little-endian machine.
ROUTES = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010012AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000012AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth1\t000013AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
"""
GATEWAY = "172.18.0.1"


def routes() -> Starlette:
    def say(_request: object) -> PlainTextResponse:
        return PlainTextResponse("hello")

    return Starlette(routes=[Route("/connectors", say, methods=["GET", "POST"])])


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gatekeeper:
    table = tmp_path / "route"
    table.write_text(ROUTES)
    monkeypatch.setattr(from_host, "_ROUTES", table)
    file = tmp_path / "credentials.toml"
    file.write_text(CREDENTIALS)
    return Gatekeeper(file)


async def answer(
    known: Gatekeeper, peer: str, *, is_open: bool = True, **asked: dict[str, str]
) -> int:
    app = Access(routes(), known, open_to_host=is_open)
    transport = httpx.ASGITransport(app, client=(peer, 40000))
    async with httpx.AsyncClient(transport=transport, base_url="http://connect") as client:
        return (await client.post("/connectors", **asked)).status_code  # type: ignore[arg-type]


async def test_the_host_is_let_in_without_credentials(known: Gatekeeper) -> None:
    assert await answer(known, GATEWAY) == 200


async def test_the_host_is_asked_where_the_setting_is_off(known: Gatekeeper) -> None:
    assert await answer(known, GATEWAY, is_open=False) == 401


@pytest.mark.parametrize(
    "peer", ["172.18.0.7", "172.19.0.1", "127.0.0.1", "::1", f"::ffff:{GATEWAY}", "0.0.0.0", ""]
)
async def test_all_others_are_asked(known: Gatekeeper, peer: str) -> None:
    assert await answer(known, peer) == 401
    assert await answer(known, peer, headers=WRITER) == 200


async def test_another_address_that_is_claimed_in_a_header_is_not_believed(
    known: Gatekeeper,
) -> None:
    claimed = {"X-Forwarded-For": GATEWAY, "Forwarded": f"for={GATEWAY}", "X-Real-IP": GATEWAY}
    assert await answer(known, "172.18.0.7", headers=claimed) == 401


async def test_who_shows_credentials_is_known_by_them_also_on_the_host(known: Gatekeeper) -> None:
    assert await answer(known, GATEWAY, headers=READER) == 403
    assert await answer(known, GATEWAY, headers={"Authorization": "Bearer wrong"}) == 401


@pytest.mark.parametrize(
    "table",
    [
        "Iface\tDestination\n",
        "",
        # To a network, not to everywhere.
        "h\neth0\t000012AC\t010012AC\t0003\t0\t0\t0\t0000FFFF\t0\t0\t0\n",
        # To half of everything.
        "h\neth0\t00000000\t010012AC\t0003\t0\t0\t0\t00000080\t0\t0\t0\n",
        # Without a gateway.
        "h\neth0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n",
    ],
)
def test_without_a_default_gateway_nobody_is_the_host(table: str) -> None:
    assert default_gateway(table) is None


def test_the_gateway_is_read_from_the_kernels_table() -> None:
    assert default_gateway(ROUTES) == GATEWAY


@pytest.mark.parametrize(
    ("published_on", "is_open"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("example.org", False),
        ("", False),
        (None, False),
    ],
)
def test_it_is_open_only_while_the_port_is_published_on_loopback(
    published_on: str | None, is_open: bool
) -> None:
    settings = Settings(open_to_host=True, published_on=published_on)
    assert settings.is_open_to_host is is_open
    assert not Settings(published_on=published_on).is_open_to_host


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(("is_open", "status"), [(True, 403), (False, 401)])
async def test_a_rebound_page_on_the_host_is_refused(
    tmp_path: Path, *, is_open: bool, status: int
) -> None:
    settings = Settings(
        home=tmp_path,
        credentials=tmp_path / "credentials.toml",
        open_to_host=is_open,
        published_on="127.0.0.1",
    )
    app = await asyncio.to_thread(create_app, settings)
    transport = httpx.ASGITransport(app, client=(GATEWAY, 40000))
    async with httpx.AsyncClient(transport=transport, base_url="http://rebound.example") as page:
        assert (await page.get("/connectors")).status_code == status
