"""The OpenAPI document and the server agree, and no call, good or bad, is a server's error."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import CheckContext, not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.python.asgi import ASGIClient
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.support.control_api import sink_config

from frazil.control_api.app import create_app
from frazil.control_api.settings import EngineKind, Settings

NAME = "logs"
Decorator = Callable[[Callable[[Case[Any]], None]], Callable[[], None]]
DOCUMENT = json.loads((Path(__file__).parents[2] / "schemas" / "openapi.json").read_text())
# A stream of events does not end; it has tests of its own.
OPERATIONS = [
    (path, method)
    for path, operations in DOCUMENT["paths"].items()
    for method in operations
    if path != "/events"
]
# The ledger is read by a process, each time; it has tests of its own too.
OF_A_CONNECTOR = [
    (path, method)
    for path, method in OPERATIONS
    if "{connector}" in path and not path.endswith("/ledger")
]
WITH_BODY = [
    (path, method)
    for path, method in OPERATIONS
    if "requestBody" in DOCUMENT["paths"][path][method]
]
# Neither a broker nor a catalog is there to be asked.
OUTSIDE = ("/connectors/{connector}/offsets", "/connectors/{connector}/ledger")


def not_our_fault(ctx: CheckContext, response: Response, case: Case[Any]) -> bool | None:
    if case.path in OUTSIDE and not response.json()["message"].startswith("Internal error"):
        return None
    return not_a_server_error(ctx, response, case)


AGREES = [
    not_our_fault,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return create_app(
        Settings(
            home=tmp_path_factory.mktemp("home"),
            engine=EngineKind.FAKE,
            bootstrap_servers="127.0.0.1:1",
            files_folder=tmp_path_factory.mktemp("files"),
        )
    )


@pytest.fixture(scope="module")
def document(app: Any) -> BaseSchema:
    return schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.fixture(scope="module")
def client(app: Any) -> Iterator[ASGIClient]:
    with ASGIClient(app) as client:
        yield client


def for_each(document: BaseSchema, operation: tuple[str, str], mode: GenerationMode) -> Decorator:
    """Call a test with cases of an operation, the same ones each time."""
    path, method = operation
    bounds = settings(max_examples=10, derandomize=True, suppress_health_check=list(HealthCheck))

    def decorate(test: Callable[[Case[Any]], None]) -> Callable[[], None]:
        strategy = document[path][method].as_strategy(generation_mode=mode)
        made: Callable[[], None] = given(strategy)(bounds(test))
        return made

    return decorate


@pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)
def test_calls_by_the_document(document: BaseSchema, operation: tuple[str, str]) -> None:
    @for_each(document, operation, GenerationMode.POSITIVE)
    def call(case: Case[Any]) -> None:
        case.validate_response(case.call(), checks=AGREES)

    call()


@pytest.mark.parametrize("operation", OF_A_CONNECTOR, ids=" ".join)
def test_calls_by_the_document_of_a_connector_that_is_there(
    document: BaseSchema, client: ASGIClient, operation: tuple[str, str]
) -> None:
    @for_each(document, operation, GenerationMode.POSITIVE)
    def call(case: Case[Any]) -> None:
        client.put(f"/connectors/{NAME}/config", json=sink_config())
        # Offsets of one that another test has stopped are asked of a broker that is not there.
        client.put(f"/connectors/{NAME}/resume")
        case.path_parameters["connector"] = NAME
        if case.query:
            case.query.pop("follow", None)
        if case.path.endswith("/config") and isinstance(case.body, dict):
            case.body = {**sink_config(), **case.body}
        case.validate_response(case.call(), checks=AGREES)

    call()


@pytest.mark.parametrize("operation", WITH_BODY, ids=" ".join)
def test_calls_with_what_the_document_forbids(
    document: BaseSchema, operation: tuple[str, str]
) -> None:
    @for_each(document, operation, GenerationMode.NEGATIVE)
    def call(case: Case[Any]) -> None:
        case.validate_response(case.call(), checks=[not_our_fault])

    call()
