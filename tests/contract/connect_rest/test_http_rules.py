"""Rules that hold for every route: media types, paths, errors before a route is chosen."""

import httpx
import pytest
from tests.support.connect_rest import assert_error

pytestmark = pytest.mark.asyncio(loop_scope="session")

JSON = {"Content-Type": "application/json"}


async def test_answers_are_json_without_a_charset(client: httpx.AsyncClient) -> None:
    response = await client.get("/connectors")
    assert response.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "message"),
    [
        ("GET", "/nope", {}, 404, "HTTP 404 Not Found"),
        ("PUT", "/connectors", {}, 405, "HTTP 405 Method Not Allowed"),
        ("GET", "/connectors", {"Accept": "text/plain"}, 406, "HTTP 406 Not Acceptable"),
        (
            "GET",
            "/connectors",
            {"Content-Type": "text/plain"},
            415,
            "HTTP 415 Unsupported Media Type",
        ),
    ],
)
async def test_errors_before_a_route_is_chosen_have_no_content_type(
    client: httpx.AsyncClient,
    method: str,
    path: str,
    headers: dict[str, str],
    status: int,
    message: str,
) -> None:
    response = await client.request(method, path, headers=headers)
    assert_error(response, status, message)
    assert "content-type" not in response.headers
    assert "allow" not in response.headers


@pytest.mark.parametrize("task", ["x", "1.0", "99999999999", "%2B"])
async def test_a_task_that_is_no_number_is_another_path_and_yet_a_route(
    client: httpx.AsyncClient, task: str
) -> None:
    response = await client.get(f"/connectors/a/tasks/{task}/status")
    assert_error(response, 404, "HTTP 404 Not Found")
    assert response.headers["content-type"] == "application/json"


@pytest.mark.parametrize(("task", "read_as"), [("-1", "-1"), ("+1", "1"), ("007", "7")])
async def test_tasks_are_numbers_as_java_reads_them(
    client: httpx.AsyncClient, task: str, read_as: str
) -> None:
    response = await client.get(f"/connectors/a/tasks/{task}/status")
    assert_error(response, 404, f"No status found for task a-{read_as}")


@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "application/vnd.api+json", "application/x-www-form-urlencoded", "json"],
)
async def test_other_media_types_are_refused_even_where_no_body_is_expected(
    client: httpx.AsyncClient, made: str, media_type: str
) -> None:
    headers = {"Content-Type": media_type}
    assert_error(await client.post("/connectors", headers=headers, content=b"{}"), 415)
    assert_error(await client.put(f"/connectors/{made}/resume", headers=headers), 415)


async def test_a_body_that_is_read_needs_a_content_type(
    client: httpx.AsyncClient, made: str
) -> None:
    response = await client.post("/connectors", content=b"{}")
    assert_error(response, 415, "HTTP 415 Unsupported Media Type")
    # The route was chosen before anybody looked at the body.
    assert response.headers["content-type"] == "application/json"
    ignored = await client.put(f"/connectors/{made}/resume", content=b"junk")
    assert ignored.status_code == 202


@pytest.mark.parametrize(
    ("accept", "answered"),
    [
        ("application/json;charset=utf-8", "application/json;charset=utf-8"),
        ("application/json; charset=utf-8; q=0.5", "application/json;charset=utf-8"),
        ("text/html, application/json;foo=bar", "application/json;foo=bar"),
        ("*/*;q=0.1", "application/json"),
        ("application/json;q=0.1", "application/json"),
    ],
)
async def test_parameters_of_what_is_accepted_are_repeated(
    client: httpx.AsyncClient, accept: str, answered: str
) -> None:
    for path in ("/connectors", "/connectors/nope"):
        response = await client.get(path, headers={"Accept": accept})
        assert response.headers["content-type"] == answered


async def test_parameters_of_a_media_type_do_no_harm(client: httpx.AsyncClient) -> None:
    headers = {"Content-Type": "application/json;charset=utf-8", "Accept": "application/json;q=1"}
    assert (await client.get("/connectors", headers=headers)).status_code == 200


@pytest.mark.parametrize("accept", ["*/*", "application/*", "text/html, application/json;q=0.9"])
async def test_whoever_accepts_json_among_others_gets_it(
    client: httpx.AsyncClient, accept: str
) -> None:
    assert (await client.get("/connectors", headers={"Accept": accept})).status_code == 200


@pytest.mark.parametrize("body", [b"", b"null", b'""', b"{}", b'{"junk":'])
async def test_bodies_of_calls_that_take_none_are_ignored(
    client: httpx.AsyncClient, made: str, body: bytes
) -> None:
    for call, status in (("pause", 202), ("resume", 202)):
        response = await client.put(f"/connectors/{made}/{call}", headers=JSON, content=body)
        assert (response.status_code, response.content) == (status, b"")
        assert "content-type" not in response.headers
    response = await client.post(f"/connectors/{made}/restart", headers=JSON, content=body)
    assert (response.status_code, response.content) == (204, b"")
    assert "content-type" not in response.headers


@pytest.mark.parametrize("path", ["/connectors/", "/connector-plugins/"])
async def test_a_trailing_slash_makes_no_difference(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).text == (await client.get(path.rstrip("/"))).text


async def test_a_trailing_slash_behind_a_name_makes_no_difference(
    client: httpx.AsyncClient, made: str
) -> None:
    assert (await client.get(f"/connectors/{made}/")).json()["name"] == made


async def test_head_works_where_get_does(client: httpx.AsyncClient) -> None:
    response = await client.head("/connectors")
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/", "HEAD, GET, OPTIONS"),
        ("/connectors", "HEAD, POST, GET, OPTIONS"),
        ("/connectors/x/config", "HEAD, GET, OPTIONS, PUT, PATCH"),
        ("/connectors/x/restart", "POST, OPTIONS"),
        ("/connectors/x/offsets", "HEAD, DELETE, GET, OPTIONS, PATCH"),
        ("/connectors/x/tasks", "HEAD, POST, GET, OPTIONS"),
        ("/admin/loggers/root", "HEAD, GET, OPTIONS, PUT"),
    ],
)
async def test_options_list_the_methods(client: httpx.AsyncClient, path: str, methods: str) -> None:
    response = await client.options(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/plain"
    assert response.headers["allow"] == methods.replace(" ", "")
    assert response.text == methods


@pytest.mark.parametrize("accept", ["application/json", "text/html, application/json"])
async def test_options_have_no_words_for_those_who_want_another_type(
    client: httpx.AsyncClient, accept: str
) -> None:
    response = await client.options("/", headers={"Accept": accept})
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-type"] == accept.partition(",")[0]
    assert response.headers["allow"] == "HEAD,GET,OPTIONS"


@pytest.mark.parametrize(("method", "path"), [("POST", "tasks"), ("PUT", "fence")])
@pytest.mark.parametrize("body", [b"", b"[]", b"junk"])
async def test_calls_among_workers_are_for_those_who_can_sign(
    client: httpx.AsyncClient, method: str, path: str, body: bytes
) -> None:
    url = f"/connectors/nope/{path}"
    response = await client.request(method, url, headers=JSON, content=body)
    assert_error(response, 400, "Internal request missing required signature")


async def test_a_semicolon_begins_a_parameter_that_is_no_part_of_the_name(
    client: httpx.AsyncClient, made: str
) -> None:
    assert (await client.get(f"/connectors;a/{made};v=1")).json()["name"] == made
    assert (await client.get(f"/connectors/{made};v=1/status;w")).json()["name"] == made
    literal = await client.get(f"/connectors/{made}%3Bv=1")
    assert_error(literal, 404, f"Connector {made};v=1 not found")
