"""Trino: asked before, one statement for a catalog that is not there, and then a query."""

from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import MagicMock

import httpx
import pytest
from tests.support.provisioner_world import apply
from trino.exceptions import TrinoConnectionError, TrinoExternalError, TrinoUserError

import frazil.provisioner.steps.trino as trino_step
from frazil.provisioner.desired import Trino
from frazil.provisioner.errors import RefusedError, StepFailedError, UnavailableError
from frazil.provisioner.plan import Plan
from frazil.provisioner.steps.trino import TrinoSystem

WRONG_SECRET = TrinoExternalError(
    {
        "message": "Failed to list namespaces",
        "failureInfo": {"message": "x", "cause": {"message": "Forbidden: the signature"}},
    }
)


class FakeTrino:
    """Keeps catalogs by name; `broken` is what every query of one of them raises."""

    def __init__(self) -> None:
        self.info: dict[str, Any] = {"starting": False, "nodeVersion": {"version": "476"}}
        self.status = 200
        self.catalogs = ["system"]
        self.statements: list[str] = []
        self.broken: Exception | None = None
        self.refuses: Exception | None = None

    def answer(self, _request: httpx.Request) -> httpx.Response:
        return httpx.Response(self.status, json=self.info)

    def run(self, statement: str) -> list[list[Any]]:
        if statement == "SHOW CATALOGS":
            if self.refuses:
                raise self.refuses
            return [[name] for name in self.catalogs]
        self.statements.append(statement)
        if statement.startswith("CREATE CATALOG"):
            if self.refuses:
                raise self.refuses
            self.catalogs.append("lake")
        elif self.broken:
            raise self.broken
        return []


@pytest.fixture
def trino() -> FakeTrino:
    return FakeTrino()


@pytest.fixture
async def system(trino: FakeTrino) -> AsyncIterator[TrinoSystem]:
    properties = {"iceberg.rest-catalog.security": "SIGV4"}
    wanted = Trino.model_validate(
        {"url": "http://trino:8080", "catalogs": [{"name": "lake", "properties": properties}]}
    )
    transport = httpx.MockTransport(trino.answer)
    async with httpx.AsyncClient(transport=transport, base_url=str(wanted.url)) as client:
        yield TrinoSystem(client, wanted, run=trino.run)


async def test_a_catalog_is_created_once_for_this_version_and_then_queried(
    trino: FakeTrino, system: TrinoSystem
) -> None:
    done = await apply(system)
    assert [step.sentence for step in done.steps] == ["create catalog lake in Trino"]
    assert trino.statements[:2] == [
        'CREATE CATALOG IF NOT EXISTS "lake" USING iceberg '
        "WITH (\"iceberg.rest-catalog.sigv4-enabled\" = 'true')",
        'SHOW SCHEMAS FROM "lake"',
    ]
    assert await apply(system) == Plan()
    assert sum(one.startswith("CREATE") for one in trino.statements) == 1


async def test_planning_creates_nothing(trino: FakeTrino, system: TrinoSystem) -> None:
    assert len((await system.plan()).steps) == 1
    assert trino.statements == []


async def test_a_catalog_that_answers_nothing_after_its_making_is_a_step_that_failed(
    trino: FakeTrino, system: TrinoSystem
) -> None:
    trino.broken = WRONG_SECRET
    with pytest.raises(StepFailedError) as raised:
        await apply(system)
    assert "Could not create catalog lake in Trino: Catalog lake of Trino" in str(raised.value)
    assert "Failed to list namespaces: Forbidden: the signature." in str(raised.value)
    assert 'DROP CATALOG "lake"' in str(raised.value)


async def test_a_catalog_that_is_there_and_does_not_answer_is_refused_and_stays(
    trino: FakeTrino, system: TrinoSystem
) -> None:
    trino.catalogs.append("lake")
    trino.broken = WRONG_SECRET
    with pytest.raises(RefusedError, match='drop it yourself with DROP CATALOG "lake"'):
        await apply(system)
    assert set(trino.statements) == {'SHOW SCHEMAS FROM "lake"'}


async def test_a_statement_that_is_refused_is_quoted(trino: FakeTrino, system: TrinoSystem) -> None:
    step = (await system.plan()).steps[0]
    trino.refuses = TrinoUserError({"message": "Configuration property 'x' was not used"})
    with pytest.raises(StepFailedError, match="in Trino: Configuration property 'x' was not used"):
        await system.apply(step)


async def test_one_that_is_starting_is_not_there_yet(trino: FakeTrino, system: TrinoSystem) -> None:
    trino.info = {"starting": True}
    with pytest.raises(
        UnavailableError, match="Trino does not answer at http://trino:8080/: it is"
    ):
        await system.plan()


async def test_what_is_no_trino_is_described(trino: FakeTrino, system: TrinoSystem) -> None:
    trino.status = 502
    with pytest.raises(UnavailableError, match="it answered 502 Bad Gateway"):
        await system.plan()


@pytest.mark.parametrize("error", [TrinoConnectionError("no nodes"), OSError("no nodes")])
async def test_one_that_takes_no_query_is_not_there_yet(
    trino: FakeTrino, system: TrinoSystem, error: Exception
) -> None:
    trino.refuses = error
    with pytest.raises(UnavailableError, match="no nodes"):
        await system.plan()


async def test_statements_go_to_the_address_and_by_the_user_of_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = Trino.model_validate({"url": "https://trino", "user": "me", "catalogs": []})
    made: dict[str, Any] = {}

    def connect(**arguments: Any) -> Any:
        made.update(arguments)
        connection = MagicMock()
        answer = connection.__enter__().cursor().execute
        answer.side_effect = lambda statement: MagicMock(fetchall=lambda: [[statement]])
        return connection

    monkeypatch.setattr(trino_step, "connect", connect)
    assert trino_step.run_statement(wanted, 7, "SHOW CATALOGS") == [["SHOW CATALOGS"]]
    assert made == {
        "host": "trino",
        "port": 443,
        "http_scheme": "https",
        "user": "me",
        "request_timeout": 7,
    }
