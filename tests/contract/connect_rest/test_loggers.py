"""Log levels over HTTP."""

from uuid import uuid4

import httpx
import pytest
from tests.support.connect_rest import assert_error

pytestmark = pytest.mark.asyncio(loop_scope="session")

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def logger() -> str:
    return f"test.{uuid4().hex[:8]}"


async def test_the_list_is_in_order_and_has_the_root(client: httpx.AsyncClient) -> None:
    for path in ("/admin/loggers", "/admin/loggers/"):
        levels = (await client.get(path)).json()
        assert list(levels) == sorted(levels)
        assert set(levels["root"]) == {"level", "last_modified"}


async def test_levels_are_written_in_any_case_and_twice_is_no_change(
    client: httpx.AsyncClient, logger: str
) -> None:
    for wanted in ([logger], []):
        response = await client.put(f"/admin/loggers/{logger}", json={"level": "trace"})
        assert (response.status_code, response.json()) == (200, wanted)


async def test_a_level_is_set_for_all_names_that_begin_so(
    client: httpx.AsyncClient, logger: str
) -> None:
    await client.put(f"/admin/loggers/{logger}.a", json={"level": "OFF"})
    response = await client.put(f"/admin/loggers/{logger}", json={"level": "ALL"})
    assert response.json() == [logger, f"{logger}.a"]
    assert (await client.get(f"/admin/loggers/{logger}.a")).json()["level"] == "ALL"


@pytest.mark.parametrize("scope", ["cluster", "Cluster"])
async def test_all_workers_are_told_without_a_word(
    client: httpx.AsyncClient, logger: str, scope: str
) -> None:
    path = f"/admin/loggers/{logger}"
    response = await client.put(f"{path}?scope={scope}", json={"level": "DEBUG"})
    assert (response.status_code, response.content) == (204, b"")
    assert "content-type" not in response.headers
    assert (await client.get(path)).json()["level"] == "DEBUG"


async def test_another_scope_is_that_of_this_worker(client: httpx.AsyncClient, logger: str) -> None:
    response = await client.put(f"/admin/loggers/{logger}?scope=x", json={"level": "DEBUG"})
    assert (response.status_code, response.json()) == (200, [logger])


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b'{"level":"LOUD"}', 404, "invalid log level 'LOUD'."),
        (b'{"level":5}', 404, "invalid log level '5'."),
        (b'{"level":null}', 400, "Desired 'level' parameter was not specified in request."),
        (b"{}", 400, "Desired 'level' parameter was not specified in request."),
        (b"", 400, None),
    ],
)
async def test_a_level_that_makes_no_sense_is_refused(
    client: httpx.AsyncClient, logger: str, body: bytes, status: int, message: str | None
) -> None:
    response = await client.put(f"/admin/loggers/{logger}", headers=JSON, content=body)
    assert_error(response, status, message)
    unknown = await client.get(f"/admin/loggers/{logger}")
    assert_error(unknown, 404, f"Logger {logger} not found.")


@pytest.mark.parametrize(("method", "path"), [("PUT", ""), ("DELETE", "/root")])
async def test_other_methods_are_not_allowed(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    assert_error(await client.request(method, f"/admin/loggers{path}"), 405)
