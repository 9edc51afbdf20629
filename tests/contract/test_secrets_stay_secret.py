"""A planted secret is searched for in everything that a connector leaves behind."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.support.asked import asked
from tests.support.connect_rest import until_healthy, until_state
from tests.support.control_api import eventually, sink_config
from tests.support.stand_in import stand_in

from frazil.control_api.app import create_app
from frazil.control_api.engine.process import ProcessEngine
from frazil.control_api.settings import Settings

PLANTED = "tr0ub4dor&3"
NAME = "logs"
ASSIGNMENT = "assignment.json"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "catalog.properties").write_text(f"password={PLANTED}-of-a-file\n")
    (folder / "token").write_text(f"{PLANTED}-of-a-folder\n")
    return folder


@pytest.fixture
def config(vault: Path) -> dict[str, str]:
    return sink_config(
        **{
            "iceberg.catalog.jdbc.password": f"${{file:{vault}/catalog.properties:password}}",
            "iceberg.catalog.token": f"${{dir:{vault}:token}}",
            "iceberg.catalog.warehouse": "file:///tmp/${env:PLANTED_NAME}",
            "consumer.override.client.rack": "${env:PLANTED_NAME}",
        }
    )


@pytest.fixture
def settings(tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("PLANTED_NAME", f"{PLANTED}-of-the-environment")
    return Settings(
        home=tmp_path / "home",
        bootstrap_servers="127.0.0.1:1",
        secrets_env=("PLANTED_*",),
        secrets_paths=(vault,),
    )


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    engine = ProcessEngine(
        settings.run_root,
        lambda _kind, folder: stand_in(folder),
        environment=settings.worker_environment,
    )
    app = create_app(settings, engine)
    async with asked(app) as client:
        await until_healthy(client)
        yield client
        await client.delete(f"/connectors/{NAME}")

        async def is_gone() -> bool:
            return await engine.connectors() == []

        await eventually("its worker has ended", is_gone)


def files_with_it(folder: Path) -> list[str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted({path.name for path in paths if PLANTED.encode() in path.read_bytes()})


def pid_of(settings: Settings) -> int:
    (status,) = settings.run_root.rglob("status.json")
    return int(json.loads(status.read_text())["pid"])


async def answers(client: httpx.AsyncClient) -> AsyncIterator[tuple[str, str]]:
    """Ask whatever can be asked of a connector, and of the server about it."""
    document = (await client.get("/openapi.json")).json()
    for path, methods in document["paths"].items():
        if "get" in methods and path != "/events":
            url = path.replace("{connector}", NAME).replace("{task}", "0")
            url = url.replace("{plugin}", "IcebergSinkConnector").replace("{logger}", "root")
            yield url, (await client.get(url, timeout=10)).text
    yield "list", (await client.get("/connectors?expand=info&expand=status")).text


async def test_it_is_in_the_assignment_and_nowhere_else(
    client: httpx.AsyncClient,
    settings: Settings,
    config: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    created = await client.post("/connectors", json={"name": NAME, "config": config})
    assert created.json()["config"] == config | {"name": NAME}
    await until_state(client, NAME, "RUNNING")
    assert await asyncio.to_thread(files_with_it, settings.home) == [ASSIGNMENT]
    asked = [(url, text) async for url, text in answers(client)]
    assert len(asked) > 10
    assert [url for url, text in asked if PLANTED in text] == []
    process = Path("/proc", str(await asyncio.to_thread(pid_of, settings)))
    for file in ("environ", "cmdline"):
        assert PLANTED.encode() not in await asyncio.to_thread((process / file).read_bytes), file
    assert PLANTED not in "".join(capsys.readouterr())


async def test_validation_looks_behind_references_and_says_nothing_of_it(
    client: httpx.AsyncClient, config: dict[str, str]
) -> None:
    wrong = config | {"name": NAME, "tasks.max": "${env:PLANTED_NAME}"}
    url = "/connector-plugins/IcebergSinkConnector/config/validate"
    judged = await client.put(url, json=wrong)
    refused = await client.post("/connectors", json={"name": NAME, "config": wrong})
    assert (judged.status_code, judged.json()["error_count"]) == (200, 1)
    assert refused.status_code == 400
    assert "what ${env:PLANTED_NAME} stands for is no valid INT" in refused.json()["message"]
    assert PLANTED not in judged.text + refused.text


@pytest.mark.parametrize(
    ("reference", "setting"),
    [
        ("${env:HOME}", "FRAZIL_SECRETS_ENV"),
        ("${file:/etc/passwd:root}", "FRAZIL_SECRETS_PATHS"),
        ("${vault:a:b}", "no provider vault"),
    ],
)
async def test_what_may_not_be_referred_to_is_refused_at_once(
    client: httpx.AsyncClient, config: dict[str, str], reference: str, setting: str
) -> None:
    bad = config | {"iceberg.catalog.token": reference}
    refused = await client.post("/connectors", json={"name": NAME, "config": bad})
    assert refused.status_code == 400
    assert reference in refused.json()["message"]
    assert setting in refused.json()["message"]


@pytest.fixture
def token(vault: Path) -> Path:
    """A token that is not there yet."""
    (vault / "token").unlink()
    return vault / "token"


async def test_what_is_not_there_fails_the_connector_until_it_is(
    client: httpx.AsyncClient, config: dict[str, str], token: Path
) -> None:
    await client.post("/connectors", json={"name": NAME, "config": config})
    failed = await until_state(client, NAME, "FAILED")
    assert f"${{dir:{token.parent}:token}} cannot be resolved" in str(failed)
    assert PLANTED not in str(failed)
    await asyncio.to_thread(token.write_text, PLANTED)
    await client.post(f"/connectors/{NAME}/restart")
    await until_state(client, NAME, "RUNNING")
