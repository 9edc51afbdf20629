"""AIStor's calls for warehouses: signed, and fine with what another has made."""

import hashlib
import json
from collections.abc import Iterator

import httpx
import pytest
from pyiceberg.exceptions import RESTError
from tests.support.local_state import local_state
from tests.support.provisioner_world import apply

from frazil.provisioner.desired import Catalog
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import CreateWarehouse, Plan
from frazil.provisioner.steps.catalog import CatalogSystem
from frazil.provisioner.steps.warehouse import Warehouse

PATH = "/_iceberg/v1/warehouses"


class FakeAIStor:
    """`status` is answered in place of what is true."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.requests: list[httpx.Request] = []
        self.status: int | None = None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self.status:
            error = {"message": "may not", "type": "ForbiddenException", "code": self.status}
            return httpx.Response(self.status, json={"error": error})
        if request.method == "POST":
            self.names.add(json.loads(request.content)["name"])
            return httpx.Response(200, json={})
        name = request.url.path.removeprefix(f"{PATH}/")
        return httpx.Response(200 if name in self.names else 404, json={})


def catalog() -> Catalog:
    found = local_state().catalog
    assert found
    return found.model_copy(update={"create_warehouse": True})


@pytest.fixture
def aistor() -> FakeAIStor:
    return FakeAIStor()


@pytest.fixture
def warehouse(aistor: FakeAIStor) -> Iterator[Warehouse]:
    with httpx.Client(transport=httpx.MockTransport(aistor)) as client:
        yield Warehouse(client, catalog().properties)


def test_a_warehouse_is_there_once_it_was_created(aistor: FakeAIStor, warehouse: Warehouse) -> None:
    assert not warehouse.exists()
    warehouse.create()
    assert warehouse.exists()
    assert aistor.names == {"kafkawarehouse"}


def test_an_existing_bucket_is_taken(aistor: FakeAIStor, warehouse: Warehouse) -> None:
    warehouse.create()
    body = json.loads(aistor.requests[0].content)
    assert body == {"name": "kafkawarehouse", "upgrade-existing": True}


def test_calls_are_signed_with_the_properties_of_the_catalog(
    aistor: FakeAIStor, warehouse: Warehouse
) -> None:
    warehouse.create()
    (request,) = aistor.requests
    assert str(request.url) == f"http://minio:9000{PATH}"
    signature = request.headers["authorization"]
    assert signature.startswith("AWS4-HMAC-SHA256 Credential=minioadmin/")
    assert "/us-east-1/s3tables/aws4_request" in signature
    assert "host;x-amz-content-sha256;x-amz-date" in signature
    digest = hashlib.sha256(request.content).hexdigest()
    assert request.headers["x-amz-content-sha256"] == digest


def test_one_that_another_has_made_meanwhile_is_no_error(
    aistor: FakeAIStor, warehouse: Warehouse
) -> None:
    aistor.status = 409
    warehouse.create()


def test_who_may_not_ask_is_told_so(aistor: FakeAIStor, warehouse: Warehouse) -> None:
    aistor.status = 403
    with pytest.raises(RESTError, match="may not"):
        warehouse.exists()
    with pytest.raises(RESTError, match="may not"):
        warehouse.create()


async def test_a_plan_without_a_warehouse_has_all_that_is_to_be_made(warehouse: Warehouse) -> None:
    plan = await CatalogSystem(catalog(), warehouse).plan()
    assert [step.sentence for step in plan.steps] == [
        "create warehouse kafkawarehouse",
        "create namespace streaming",
        "create table streaming.apilogs with 11 columns",
        "create table streaming.errorlogs with 7 columns",
        "create table streaming.auditlogs with 14 columns",
    ]
    assert Plan(steps=plan.steps) == plan


async def test_the_warehouse_is_made_by_its_step(aistor: FakeAIStor, warehouse: Warehouse) -> None:
    await CatalogSystem(catalog(), warehouse).apply(CreateWarehouse("kafkawarehouse"))
    assert aistor.names == {"kafkawarehouse"}


async def test_a_refused_look_is_no_missing_warehouse(
    aistor: FakeAIStor, warehouse: Warehouse
) -> None:
    aistor.status = 403
    system = CatalogSystem(catalog(), warehouse)
    with pytest.raises(UnavailableError, match="The catalog does not answer at http://minio:9000"):
        await apply(system)
    with pytest.raises(StepFailedError, match="Could not create warehouse kafkawarehouse: may not"):
        await system.apply(CreateWarehouse("kafkawarehouse"))


async def test_nobody_there_is_a_sentence_with_the_address() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with httpx.Client(transport=httpx.MockTransport(refuse)) as client:
        system = CatalogSystem(catalog(), Warehouse(client, catalog().properties))
        with pytest.raises(UnavailableError, match=r"minio:9000/_iceberg: refused"):
            await system.plan()
