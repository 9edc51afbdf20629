"""Who is let in, and what for: pure first, then the door of a whole application."""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from structlog.typing import EventDict
from tests.support.access import (
    CREDENTIALS,
    PASSWORD,
    READER,
    TOKEN,
    WRITER,
    basic,
    bearer,
    cheap_hash,
)
from tests.support.asked import asked
from tests.support.connect_rest import assert_error, until_healthy
from tests.support.control_api import sink_config

from frazil.control_api.api.gatekeeper import Gatekeeper
from frazil.control_api.app import create_app
from frazil.control_api.core.access import (
    Caller,
    Credentials,
    PasswordHash,
    Role,
    entry,
    needed_role,
    token_hash,
)
from frazil.control_api.core.errors import BadCredentialsFileError
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.plant import SystemClock
from frazil.control_api.settings import Settings

KNOWN = Credentials.parse(CREDENTIALS)
WRONG = [
    basic("writer", "wrong"),
    basic("writer", ""),
    basic("reader", PASSWORD),
    basic("nobody", PASSWORD),
    basic("", ""),
    bearer("wrong"),
    bearer(""),
    bearer(token_hash(TOKEN)),
    {"Authorization": ""},
    {"Authorization": "Basic"},
    {"Authorization": "Basic not-base64!"},
    {"Authorization": "Basic d3JpdGVy"},
    {"Authorization": "Basic /w=="},
    {"Authorization": f"Digest {TOKEN}"},
    {"Authorization": f"Basic {TOKEN}"},
]


class TestCallers:
    @pytest.mark.parametrize(
        ("header", "caller"),
        [
            (WRITER, Caller("writer", Role.WRITE)),
            (READER, Caller("reader", Role.READ)),
            (basic("reader", "other"), Caller("reader", Role.READ)),
            ({"Authorization": f"bEARER  {TOKEN} "}, Caller("reader", Role.READ)),
        ],
    )
    def test_who_shows_the_right_thing_is_known(
        self, header: dict[str, str], caller: Caller
    ) -> None:
        assert KNOWN.caller(header["Authorization"]) == caller

    @pytest.mark.parametrize("header", WRONG)
    def test_who_shows_anything_else_is_nobody(self, header: dict[str, str]) -> None:
        assert KNOWN.caller(header["Authorization"]) is None

    @given(st.text())
    def test_no_header_is_an_accident(self, authorization: str) -> None:
        assert KNOWN.caller(authorization) is None

    def test_a_name_that_nobody_has_costs_what_one_costs_that_somebody_has(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        costs = []
        scrypt = hashlib.scrypt

        def counted(password: bytes, *, salt: bytes, n: int, r: int, p: int, maxmem: int) -> bytes:
            costs.append((n, r, p, maxmem))
            return scrypt(password, salt=salt, n=2, r=1, p=1)

        monkeypatch.setattr(hashlib, "scrypt", counted)
        real = Credentials.parse(
            entry(Caller("a", Role.READ), password=str(PasswordHash.of("x", b"salt")))
        )
        assert real.caller(basic("a", "wrong")["Authorization"]) is None
        assert real.caller(basic("nobody", "wrong")["Authorization"]) is None
        assert len(costs) == 3
        assert len(set(costs)) == 1

    def test_all_tokens_are_compared_whether_one_fits_or_not(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        compared = []
        compare = hmac.compare_digest

        def counted(one: str, other: str) -> bool:
            compared.append(one)
            return compare(one, other)

        tokens = [entry(Caller(name, Role.READ), token=token_hash(name)) for name in "abc"]
        known = Credentials.parse("".join(tokens))
        monkeypatch.setattr(hmac, "compare_digest", counted)
        for token in ("a", "wrong"):
            known.caller(bearer(token)["Authorization"])
        assert len(compared) == 6

    def test_a_hash_is_read_as_it_is_written_and_each_has_a_salt_of_its_own(self) -> None:
        made = PasswordHash(2, 1, 1, b"salt", b"key")
        assert PasswordHash.parse(str(made)) == made
        assert cheap_hash("a") != cheap_hash("b")

    def test_nothing_of_it_is_shown(self) -> None:
        assert "scrypt" not in repr(KNOWN)
        assert "sha256" not in repr(KNOWN)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("no toml", "it is not TOML"),
        ("a = 1", '"a" has to be a table'),
        ('[a]\nrole = "write"\nsecret = "x"', '"a" has to be a table'),
        ('[a]\npassword = "x"', 'role of "a" is neither'),
        ('[a]\nrole = "admin"\npassword = "x"', 'role of "a" is neither'),
        ('[a]\nrole = "read"', '"a" has neither a password nor a token'),
        ('[a]\nrole = "read"\npassword = "hunter2"', 'password of "a" is no hash'),
        ('[a]\nrole = "read"\npassword = "md5:1:2:3:YQ==:YQ=="', 'password of "a" is no hash'),
        ('[a]\nrole = "read"\npassword = 5', 'password of "a" is no hash'),
        ('[a]\nrole = "read"\ntoken = "hunter2"', 'token of "a" is no hash'),
    ],
)
def test_a_bad_file_is_a_sentence_that_names_the_entry_and_shows_nothing(
    text: str, complaint: str
) -> None:
    with pytest.raises(BadCredentialsFileError, match=complaint) as caught:
        Credentials.parse(text)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("method", "path", "role"),
    [
        ("GET", "/health", None),
        ("HEAD", "/health", None),
        ("POST", "/health", Role.WRITE),
        ("GET", "/", Role.READ),
        ("GET", "/metrics", Role.READ),
        ("GET", "/healthy", Role.READ),
        ("GET", "/connectors/health", Role.READ),
        ("OPTIONS", "/connectors", Role.READ),
        ("PUT", "/connector-plugins/x/config/validate", Role.READ),
        ("PUT", "/connectors/x/config/validate", Role.WRITE),
        ("PUT", "/connector-plugins/x/y/config/validate", Role.WRITE),
        ("POST", "/connectors", Role.WRITE),
        ("PATCH", "/connectors/x/config", Role.WRITE),
        ("DELETE", "/connectors/x", Role.WRITE),
        ("BREW", "/", Role.WRITE),
    ],
)
def test_reading_and_validating_is_for_readers_and_all_else_for_writers(
    method: str, path: str, role: Role | None
) -> None:
    assert needed_role(method, path) is role


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "credentials.toml"
    file.write_text(CREDENTIALS)
    return file


@pytest.fixture
def gatekeeper(file: Path) -> Gatekeeper:
    return Gatekeeper(file)


class TestTheFile:
    async def test_a_changed_file_counts_without_a_restart(
        self, gatekeeper: Gatekeeper, file: Path
    ) -> None:
        assert await gatekeeper.caller(WRITER["Authorization"])
        new = entry(Caller("new", Role.READ), token=token_hash("new-token"))
        await asyncio.to_thread(file.write_text, new)
        await gatekeeper.file.reread()
        assert await gatekeeper.caller(WRITER["Authorization"]) is None
        assert await gatekeeper.caller("Bearer new-token") == Caller("new", Role.READ)

    async def test_a_file_that_is_broken_or_gone_changes_nothing(
        self, gatekeeper: Gatekeeper, file: Path, lines: list[EventDict]
    ) -> None:
        await asyncio.to_thread(file.write_text, "broken")
        await gatekeeper.file.reread()
        await asyncio.to_thread(file.unlink)
        await gatekeeper.file.reread()
        assert await gatekeeper.caller(WRITER["Authorization"])
        assert [line["event"] for line in lines] == ["credentials_not_read"] * 2

    async def test_a_password_is_hashed_once_and_not_with_each_request(
        self, gatekeeper: Gatekeeper, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hashed = []
        fits = PasswordHash.fits

        def counted(self: PasswordHash, password: str) -> bool:
            hashed.append(password)
            return fits(self, password)

        monkeypatch.setattr(PasswordHash, "fits", counted)
        for _ in range(3):
            assert await gatekeeper.caller(WRITER["Authorization"])
            assert await gatekeeper.caller(basic("writer", "wrong")["Authorization"]) is None
        assert hashed.count(PASSWORD) == 1
        assert hashed.count("wrong") == 1

    async def test_a_file_that_others_may_change_is_not_used(
        self, gatekeeper: Gatekeeper, file: Path, lines: list[EventDict]
    ) -> None:
        await asyncio.to_thread(file.write_text, "")
        await asyncio.to_thread(file.chmod, 0o660)
        await gatekeeper.file.reread()
        assert await gatekeeper.caller(WRITER["Authorization"])
        assert f"`chmod go-w {file}`" in lines[-1]["why"]
        with pytest.raises(BadCredentialsFileError, match="others may change"):
            await asyncio.to_thread(Gatekeeper, file)

    def test_a_file_that_cannot_be_used_stops_the_start_with_its_name(self, file: Path) -> None:
        file.write_text("broken")
        with pytest.raises(BadCredentialsFileError, match=f"{file} cannot be used: it is not TOML"):
            Gatekeeper(file)
        file.unlink()
        with pytest.raises(BadCredentialsFileError, match=f"{file} cannot be read"):
            Gatekeeper(file)


@pytest.fixture
def app(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    monkeypatch.setenv("GUESSED", "guess")
    settings = Settings(
        home=tmp_path,
        credentials=file,
        bootstrap_servers="127.0.0.1:1",
        secrets_env=("GUESSED",),
    )
    return create_app(settings, FakeEngine(SystemClock()))


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with asked(app) as client:
        await until_healthy(client)
        yield client


def calling_from(app: FastAPI, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, client=(address, 12345))
    return httpx.AsyncClient(transport=transport, base_url="http://test")


def calls(app: FastAPI) -> Iterator[tuple[str, str]]:
    yield "GET", "/openapi.json"
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            yield method.upper(), path.replace("{", "").replace("}", "")


class TestTheDoor:
    async def test_no_route_is_open_but_health(
        self, app: FastAPI, client: httpx.AsyncClient
    ) -> None:
        found = set(calls(app))
        assert len(found) > 30
        assert {("GET", "/metrics"), ("GET", "/events"), ("POST", "/connectors")} <= found
        for method, path in found - {("GET", "/health")}:
            answer = await client.request(method, path)
            assert answer.status_code == 401, (method, path)

    async def test_nor_is_any_path_that_is_not_there(self, client: httpx.AsyncClient) -> None:
        for path in ("/", "/nope", "/connectors/", "//health", "/health/x", "/%68ealth"):
            for method in ("GET", "HEAD", "OPTIONS", "DELETE", "BREW"):
                answer = await client.request(method, path)
                assert answer.status_code == 401, (method, path)

    async def test_strangers_are_told_what_connects_own_extension_tells_them(
        self, client: httpx.AsyncClient
    ) -> None:
        answer = await client.get("/connectors", headers=basic("writer", "wrong"))
        assert answer.text == "User cannot access the resource."
        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.headers["www-authenticate"].startswith("Basic ")

    @pytest.mark.usefixtures("client")
    async def test_whatever_is_wrong_is_refused(self, app: FastAPI) -> None:
        for number, header in enumerate(WRONG):
            # Each from an address of its own: from a single one they would be guesses.
            async with calling_from(app, f"10.0.0.{number}") as client:
                answer = await client.get("/connectors", headers=header)
            assert answer.status_code == 401, header

    @pytest.mark.usefixtures("client")
    async def test_who_guesses_has_to_wait_and_nobody_else(self, app: FastAPI) -> None:
        async with calling_from(app, "10.0.0.1") as guesser:
            for guess in range(4):
                answer = await guesser.get("/connectors", headers=basic("writer", str(guess)))
                assert answer.status_code == 401
            refused = await guesser.get("/connectors", headers=basic("writer", "five"))
            assert_error(
                refused, 429, "There were too many wrong passwords from 10.0.0.1: try again in 1 s"
            )
            assert refused.headers["retry-after"] == "1"
            assert (await guesser.get("/connectors", headers=READER)).status_code == 200
            health = await guesser.get("/health", headers=basic("writer", "six"))
            assert health.status_code == 200
        async with calling_from(app, "10.0.0.2") as other:
            assert (await other.get("/connectors", headers=WRITER)).status_code == 200

    async def test_strangers_see_of_health_what_connect_shows(
        self, client: httpx.AsyncClient
    ) -> None:
        assert set((await client.get("/health")).json()) == {"status", "message"}
        assert set((await client.get("/health", headers=WRONG[0])).json()) == {"status", "message"}
        assert "frazil" in (await client.get("/health", headers=READER)).json()

    async def test_a_reader_reads_and_validates(self, client: httpx.AsyncClient) -> None:
        config = {"name": "x"} | sink_config()
        validate = "/connector-plugins/IcebergSinkConnector/config/validate"
        for answer in [
            await client.get("/connectors", headers=READER),
            await client.head("/connectors", headers=READER),
            await client.options("/connectors", headers=READER),
            await client.get("/metrics", headers=READER),
            await client.put(validate, headers=READER, json=config),
        ]:
            assert answer.status_code == 200

    async def test_a_reader_cannot_test_guesses_at_what_references_stand_for(
        self, client: httpx.AsyncClient
    ) -> None:
        config = {"name": "x"} | sink_config(topics="${env:GUESSED},guess")
        validate = "/connector-plugins/IcebergSinkConnector/config/validate"
        answers = [
            (await client.put(validate, headers=caller, json=config)).json()["error_count"]
            for caller in (READER, WRITER)
        ]
        assert answers == [0, 1]

    async def test_a_reader_changes_nothing_and_is_told_why(
        self, client: httpx.AsyncClient
    ) -> None:
        answer = await client.post("/connectors", headers=READER, json={})
        sentence = "reader has the role read, and this call needs the role write"
        assert_error(answer, 403, sentence)
        assert answer.headers["content-type"] == "application/json"

    async def test_a_writer_may_do_all(self, client: httpx.AsyncClient) -> None:
        body = {"name": "logs", "config": sink_config()}
        answer = await client.post("/connectors", headers=WRITER, json=body)
        assert answer.status_code == 201
        assert (await client.delete("/connectors/logs", headers=WRITER)).status_code == 204

    async def test_browsers_may_ask_whether_they_may_ask(self, client: httpx.AsyncClient) -> None:
        asked = {"Origin": "http://x", "Access-Control-Request-Method": "GET"}
        assert (await client.options("/connectors", headers=asked)).status_code == 200
        assert (await client.get("/connectors", headers=asked)).status_code == 401

    async def test_refusals_are_logged_without_what_was_shown(
        self, client: httpx.AsyncClient, lines: list[EventDict]
    ) -> None:
        await client.get("/connectors", headers=bearer("guessed-token"))
        await client.delete("/connectors/x", headers=READER)
        refused = [line for line in lines if line["event"] == "refused"]
        assert [(line["caller"], line["status"]) for line in refused] == [
            (None, 401),
            ("reader", 403),
        ]
        assert "guessed-token" not in str(lines)


async def test_without_a_file_nobody_is_asked(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, bootstrap_servers="127.0.0.1:1")
    app = create_app(settings, FakeEngine(SystemClock()))
    async with asked(app) as client:
        assert (await client.get("/connectors")).status_code == 200
        assert "frazil" in (await client.get("/health")).json()


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
async def test_passwords_that_the_network_sees_are_a_warning_in_log_and_health(
    tmp_path: Path, file: Path, lines: list[EventDict], host: str
) -> None:
    settings = await asyncio.to_thread(
        Settings, home=tmp_path, credentials=file, host=host, bootstrap_servers="127.0.0.1:1"
    )
    app = await asyncio.to_thread(create_app, settings, FakeEngine(SystemClock()))
    async with asked(app) as client:
        await until_healthy(client)
        shown = (await client.get("/health", headers=READER)).json()["frazil"]
        hidden = (await client.get("/health")).json()
    logged = [line["why"] for line in lines if line["event"] == "passwords_in_clear"]
    assert "warning" not in str(hidden)
    if host == "127.0.0.1":
        assert "warning" not in shown
        assert not logged
    else:
        assert logged == [shown["warning"]]
        assert shown["warning"].endswith("set FRAZIL_TLS_CERTIFICATE and FRAZIL_TLS_KEY")
