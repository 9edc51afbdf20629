"""What operators see: figures, and a line in the log for each change."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs
from tests.support.iceberg_rest import SCHEMA, set_property
from tests.support.signed_requests import KEY_ID, SECRET

from frazil.table_catalog.app import create_app
from frazil.table_catalog.settings import Settings

LAKE = "/_iceberg/v1/lake/namespaces"


@asynccontextmanager
async def catalog(folder: Path, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(Settings(home=folder, warehouses=("lake",), **settings))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://catalog") as client,
    ):
        yield client


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    file = tmp_path / "keys.toml"
    file.touch(mode=0o600)
    file.write_text(f'["{KEY_ID}"]\nsecret = "{SECRET}"\nread = ["*"]\n', encoding="utf-8")
    return file


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


@pytest.mark.parametrize(("setting", "status"), [(True, 200), (False, 403)])
async def test_metrics_are_for_strangers_only_if_a_setting_says_so(
    tmp_path: Path, keys: Path, setting: bool, status: int
) -> None:
    async with catalog(tmp_path, keys=keys, open_metrics=setting) as client:
        answer = await client.get("/metrics")
        assert answer.status_code == status
        assert (await client.get(LAKE)).status_code == 403


async def test_refusals_are_counted_by_their_reason(tmp_path: Path, keys: Path) -> None:
    def counted() -> dict[str, float]:
        reasons = ("unsigned", "service", "key")
        return {one: sample("frazil_catalog_refusals_total", reason=one) for one in reasons}

    scope = "20260131/us-east-1/{}/aws4_request"
    rest = "SignedHeaders=host;x-amz-date, Signature=" + "0" * 64
    before = counted()
    async with catalog(tmp_path, keys=keys) as client:
        await client.get(LAKE)
        for service in ("s3", "ec2"):
            shown = f"AWS4-HMAC-SHA256 Credential=k/{scope.format(service)}, {rest}"
            await client.get(LAKE, headers={"Authorization": shown})
    after = counted()
    assert {one: after[one] - before[one] for one in after} == {
        "unsigned": 1,
        "service": 2,
        "key": 0,
    }


async def test_commits_are_counted_by_their_outcome(tmp_path: Path) -> None:
    outcomes = ("done", "CommitFailedException", "BadRequestException")
    before = {one: sample("frazil_catalog_commits_total", outcome=one) for one in outcomes}
    timed = sample("frazil_catalog_commit_seconds_count")
    async with catalog(tmp_path, open=True) as client:
        await client.post(LAKE, json={"namespace": ["n"]})
        await client.post(f"{LAKE}/n/tables", json={"name": "t", "schema": SCHEMA})
        for requirement, update in (
            ([], set_property("a", "1")),
            ([{"type": "assert-create"}], set_property("a", "2")),
            ([], {"action": "set-current-schema", "schema-id": 9}),
        ):
            body = {"requirements": requirement, "updates": [update]}
            await client.post(f"{LAKE}/n/tables/t", json=body)
    after = {one: sample("frazil_catalog_commits_total", outcome=one) for one in outcomes}
    # The table was made by one, too.
    assert [after[one] - before[one] for one in outcomes] == [2, 1, 1]
    assert sample("frazil_catalog_commit_seconds_count") - timed == 4


async def test_what_changes_something_is_a_line_in_the_log(tmp_path: Path) -> None:
    with capture_logs() as lines:
        async with catalog(tmp_path, open=True) as client:
            headers = {"Authorization": "Bearer hush", "X-Amz-Security-Token": "hush"}
            query = {"purgeRequested": "hush"}
            await client.delete(f"{LAKE}/n/tables/t", params=query, headers=headers)
            await client.get(LAKE, headers=headers)
    changed, read = (line for line in lines if line["event"] == "served")
    seconds = changed.pop("seconds")
    assert 0 <= seconds < 10
    assert changed == {
        "event": "served",
        "log_level": "info",
        "key": "everybody",
        "method": "DELETE",
        "path": f"{LAKE}/n/tables/t",
        "status": 400,
    }
    assert read["log_level"] == "debug"
    assert "hush" not in repr(lines)


async def test_who_was_turned_away_has_one_line(tmp_path: Path, keys: Path) -> None:
    with capture_logs() as lines:
        async with catalog(tmp_path, keys=keys) as client:
            await client.post(LAKE, json={"namespace": ["n"]})
    assert [line["event"] for line in lines] == ["refused"]
